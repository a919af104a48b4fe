(* Every entry of the table holds in every family: refutations by steps (Ground.v), found by refute.py. *)
Require Import List Bool Arith World Table Holds Ground Refutations. Import ListNotations.

Definition decided (F : family) := forall P : Prop, P \/ ~ P.   (* whether two share both parents is no matter of finding them *)
Definition stated (r : relation) (i j n : nat) : list lit :=
  let (k, turned) := meaning r in if turned then told k j i n else told k i j n.
Definition refused (r : relation) (i j : nat) : lit :=
  let (k, turned) := meaning r in if turned then -Rel k j i else -Rel k i j.
(* y is the a of x, z is the b of y: 0, 1, 2 *)
Definition base (a b : relation) : list lit := [-Eq 0 1; -Eq 1 2; -Eq 0 2] ++ stated a 0 1 3 ++ stated b 1 2 5.
Definition listed a b := flat_map (fun s => match s with Some r => [r] | None => [] end) (table a b).
(* None: nothing that is listed holds *)
Definition against (a b : relation) (s : option relation) : list lit :=
  base a b ++ match s with Some s => stated s 0 2 7 | None => map (fun s => refused s 0 2) (listed a b) end.
Definition twice_told (r s : relation) : list lit := -Eq 0 1 :: stated r 0 1 3 ++ stated s 0 1 5.

Definition is_in s l := if in_dec opt_dec s l then true else false.
Definition all_refuted := forallb (fun a => forallb (fun b => forallb (fun s =>
  is_in s (table a b) || existsb (check (against a b s)) (refuted a b s)) (None :: map Some everyone)) everyone) everyone.
Lemma all_refuted_ok : all_refuted = true.
Proof. vm_compute; reflexivity. Qed.
Definition none_twice := forallb (fun r => forallb (fun s =>
  (if rel_dec r s then true else false) || existsb (check (twice_told r s)) (twice r s)) everyone) everyone.
Lemma none_twice_ok : none_twice = true.
Proof. vm_compute; reflexivity. Qed.

Lemma refuted_ok a b s : ~ In s (table a b) -> exists c, check (against a b s) c = true.
Proof.
  intros N. pose proof all_refuted_ok as C. unfold all_refuted in C.
  rewrite forallb_forall in C; specialize (C a (all_listed a)).
  rewrite forallb_forall in C; specialize (C b (all_listed b)).
  rewrite forallb_forall in C; specialize (C s). rewrite orb_true_iff in C.
  destruct C as [C|C]; [destruct s as [r|]; [right; apply in_map, all_listed | left; reflexivity]| |].
  - unfold is_in in C; destruct (in_dec opt_dec s (table a b)); [contradiction | discriminate].
  - apply existsb_exists in C as (c & _ & C); exists c; exact C.
Qed.
Lemma stated_ok F r x y : holds F r x y -> exists u w, forall e i j n, e i = x -> e j = y -> e n = u -> e (S n) = w ->
  forall l, In l (stated r i j n) -> is F e l.
Proof.
  unfold holds, stated; destruct (meaning r) as [k []]; intros H; destruct (told_ok F k _ _ H) as (u & w & T);
  exists u, w; intros; eapply T; eassumption.
Qed.

Section Sound.
Variable F : family.
Notation person := (person F). Notation holds := (holds F).
Definition people (x y z u v u' v' u'' v'' : person) (n : nat) : person :=
  match n with 0 => x | 1 => y | 2 => z | 3 => u | 4 => v | 5 => u' | 6 => v' | 7 => u'' | _ => v'' end.

(* 1. Whatever of the relations holds between the ends is listed. *)
Theorem only_listed a b s x y z : x <> y -> y <> z -> x <> z ->
  holds a x y -> holds b y z -> holds s x z -> In (Some s) (table a b).
Proof.
  intros N M O A B S. destruct (in_dec opt_dec (Some s) (table a b)) as [|I]; auto. exfalso.
  destruct (refuted_ok a b _ I) as (c & C).
  destruct (stated_ok F _ _ _ A) as (u & v & Ha), (stated_ok F _ _ _ B) as (u' & v' & Hb), (stated_ok F _ _ _ S) as (u'' & v'' & Hs).
  set (e := people x y z u v u' v' u'' v''). apply (check_ok F e c _ C). intros l L. unfold against, base in L.
  rewrite !in_app_iff in L. destruct L as [[L|[L|L]]|L].
  - cbn in L; destruct L as [<-|[<-|[<-|[]]]]; assumption.
  - exact (Ha e 0 1 3 eq_refl eq_refl eq_refl eq_refl l L).
  - exact (Hb e 1 2 5 eq_refl eq_refl eq_refl eq_refl l L).
  - exact (Hs e 0 2 7 eq_refl eq_refl eq_refl eq_refl l L).
Qed.

(* 2. Where `other` is not listed, one of the listed ones does hold. *)
Theorem one_listed (em : decided F) a b x y z : x <> y -> y <> z -> x <> z ->
  holds a x y -> holds b y z -> ~ In None (table a b) -> exists s, In (Some s) (table a b) /\ holds s x z.
Proof.
  intros N M O A B I. destruct (em (exists s, In (Some s) (table a b) /\ holds s x z)) as [|Not]; auto. exfalso.
  destruct (refuted_ok a b _ I) as (c & C).
  destruct (stated_ok F _ _ _ A) as (u & v & Ha), (stated_ok F _ _ _ B) as (u' & v' & Hb).
  set (e := people x y z u v u' v' x x). apply (check_ok F e c _ C). intros l L. unfold against, base in L.
  rewrite !in_app_iff in L. destruct L as [[L|[L|L]]|L].
  - cbn in L; destruct L as [<-|[<-|[<-|[]]]]; assumption.
  - exact (Ha e 0 1 3 eq_refl eq_refl eq_refl eq_refl l L).
  - exact (Hb e 1 2 5 eq_refl eq_refl eq_refl eq_refl l L).
  - apply in_map_iff in L as (s & <- & L). unfold listed in L; apply in_flat_map in L as ([t|] & J & L); [|destruct L].
    destruct L as [<-|[]]. assert (K : ~ holds t x z) by (intros H; apply Not; exists t; auto).
    unfold Holds.holds in K; unfold refused; destruct (meaning t) as [k []]; exact K.
Qed.

(* 3. At most one of the relations holds between two people; the inverses; the genders. *)
Theorem at_most_one r s x y : x <> y -> holds r x y -> holds s x y -> r = s.
Proof.
  intros N R S. destruct (rel_dec r s) as [|D]; auto. exfalso.
  pose proof none_twice_ok as C. unfold none_twice in C.
  rewrite forallb_forall in C; specialize (C r (all_listed r)).
  rewrite forallb_forall in C; specialize (C s (all_listed s)).
  destruct (rel_dec r s); [contradiction|]. cbn [orb] in C. apply existsb_exists in C as (c & _ & C).
  destruct (stated_ok F _ _ _ R) as (u & v & Hr), (stated_ok F _ _ _ S) as (u' & v' & Hs).
  set (e := people x y x u v u' v' x x). apply (check_ok F e c _ C). intros l [<-|L]; [exact N|]. rewrite in_app_iff in L. destruct L as [L|L].
  - exact (Hr e 0 1 3 eq_refl eq_refl eq_refl eq_refl l L).
  - exact (Hs e 0 1 5 eq_refl eq_refl eq_refl eq_refl l L).
Qed.
Theorem inverse_holds r x y : holds r x y -> holds (inverse r) y x.
Proof.
  destruct r; unfold Holds.holds; cbn [inverse meaning kin_holds]; intros H; try exact H.
  - destruct H as (N & p & q & M & (A & B) & C & D); split; [auto|]; exists p, q; auto.
  - apply married; exact H.
  - destruct H as (N & (p & A & B) & M); split; [auto|]; split; [exists p; auto|].
    intros (q & s & O & (C & D) & E & G); apply M; exists q, s; auto.
  - destruct H as (N & p & s & A & B & C); split; [intros (q & D & E); apply N; exists q; auto|].
    exists s, p; split; [|split]; auto. apply married; exact B.
Qed.
Theorem opposite_genders r x y : In r opposite -> holds r x y -> sex F x <> sex F y.
Proof. cbn [In opposite]; intros [<-|[]]; cbn; apply other_gender. Qed.
End Sound.
Print Assumptions only_listed.
Print Assumptions one_listed.
Print Assumptions at_most_one.
Print Assumptions inverse_holds.
Print Assumptions opposite_genders.
