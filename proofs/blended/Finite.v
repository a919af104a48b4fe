(* Families as lists of rows: whether one is a family, and what holds in it, is worked out. *)
Require Import List Bool Arith Lia Relation_Operators World Table Holds Witnesses. Import ListNotations.

Definition mem (n : nat) l := existsb (Nat.eqb n) l.
Lemma mem_ok n l : mem n l = true <-> In n l.
Proof.
  unfold mem; rewrite existsb_exists; split; [intros (m & I & E); apply Nat.eqb_eq in E; subst; auto|].
  intros I; exists n; split; auto; apply Nat.eqb_refl.
Qed.
Definition same_sex (g h : gender) := match g, h with male, male | female, female => true | _, _ => false end.
Lemma same_sex_ok g h : same_sex g h = true <-> g = h.
Proof. destruct g, h; cbn; split; congruence. Qed.
Definition few {A} (o : option A) := match o with Some a => [a] | None => [] end.
Lemma few_one {A} (o : option A) a b : In a (few o) -> In b (few o) -> a = b.
Proof. destruct o; cbn; intuition congruence. Qed.

Section Finite.
Variable l : list row.
Definition get x := nth x l (male, None, None, None).
Definition fsex x := let '(g, _, _, _) := get x in g.
Definition fa x := let '(_, f, _, _) := get x in few f.
Definition mo x := let '(_, _, m, _) := get x in few m.
Definition sp x := let '(_, _, _, s) := get x in few s.
Definition parents x := fa x ++ mo x.
Fixpoint ups n x := x :: match n with S n => flat_map (ups n) (parents x) | O => [] end.
Definition up x := ups (length l) x.
Definition akinb x y := existsb (fun a => mem a (up y)) (up x).
Definition mates x := sp x ++ filter (fun y => negb (y =? x))
  (flat_map (fun c => if mem x (parents c) then parents c else []) (seq 0 (length l))).
Definition besides x := filter (fun s => negb (mem s (parents x))) (flat_map mates (parents x)).
Definition ok x :=
  forallb (fun f => same_sex (fsex f) male) (fa x)
  && forallb (fun m => same_sex (fsex m) female) (mo x)
  && forallb (fun p => p <? x) (parents x)
  && forallb (fun y => mem x (sp y)) (sp x)
  && forallb (fun y => negb (same_sex (fsex x) (fsex y))) (sp x)
  && forallb (fun p => forallb (fun a => mem a (up x)) (up p)) (parents x)
  && forallb (fun y => negb (akinb x y)) (mates x)
  && forallb (fun s => negb (akinb x s)) (besides x)
  && forallb (fun s => forallb (fun y => negb (akinb s y)) (mates x)) (besides x)
  && forallb (fun s => forallb (fun t => (s =? t) || negb (akinb s t)) (besides x)) (besides x)
  && forallb (fun s => forallb (fun y => mem y (parents x) || negb (akinb x y)) (mates s)) (besides x).
Definition good := forallb ok (seq 0 (length l)).
Hypothesis H : good = true.

Lemma ok_all x : ok x = true.
Proof.
  destruct (lt_dec x (length l)) as [L|L].
  - unfold good in H; rewrite forallb_forall in H; apply H, in_seq; lia.
  - assert (P : forall c, In x (parents c) -> c < length l).
    { intros c I; destruct (lt_dec c (length l)); auto. exfalso; revert I.
      unfold parents, fa, mo, get; rewrite nth_overflow by lia; cbn; tauto. }
    assert (E : parents x = []) by (unfold parents, fa, mo, get; rewrite nth_overflow by lia; reflexivity).
    assert (S : sp x = []) by (unfold sp, get; rewrite nth_overflow by lia; reflexivity).
    assert (M : mates x = []).
    { unfold mates; rewrite S; cbn [app]. destruct (filter _ _) as [|y t] eqn:Fi; auto. exfalso.
      assert (I : In y (y :: t)) by (left; auto). rewrite <- Fi in I. apply filter_In in I as [I N].
      apply in_flat_map in I as (c & C & I). destruct (mem x (parents c)) eqn:D; [|destruct I].
      apply mem_ok in D. pose proof H as G; unfold good in G; rewrite forallb_forall in G. specialize (G c C).
      unfold ok in G; rewrite !andb_true_iff in G. destruct G as [[[[[[[[[[_ _] Less] _] _] _] _] _] _] _] _].
      rewrite forallb_forall in Less; specialize (Less x D). apply Nat.ltb_lt in Less. apply in_seq in C. lia. }
    assert (B : besides x = []) by (unfold besides; rewrite E; reflexivity).
    unfold ok; rewrite M, B, E, S. replace (fa x) with (@nil nat); [replace (mo x) with (@nil nat); [reflexivity|]|];
    unfold fa, mo, get; rewrite nth_overflow by lia; reflexivity.
Qed.
Lemma all_in (f : nat -> bool) L : forallb f L = true -> forall a, In a L -> f a = true.
Proof. apply forallb_forall. Qed.
Ltac facts x := pose proof (ok_all x) as K; unfold ok in K; rewrite !andb_true_iff in K;
  destruct K as [[[[[[[[[[Male Female] Less] Sym] Sexes] Up] Apart] Self] Mates] Each] On].
Notation par := (fun x p => In p (fa x) \/ In p (mo x)).
Lemma parents_in x p : par x p <-> In p (parents x).
Proof. unfold parents; rewrite in_app_iff; tauto. Qed.
Lemma up_closed x a : clos_refl_trans_1n nat par x a -> In a (up x).
Proof.
  induction 1 as [x|x p a P _ IH]; [unfold up; destruct (length l); left; auto|].
  facts x; apply parents_in in P. apply mem_ok. exact (all_in _ _ (all_in _ _ Up p P) a IH).
Qed.
Lemma above_less x a : clos_trans_1n nat par x a -> a < x.
Proof.
  assert (L : forall x p, par x p -> p < x).
  { intros y p P; facts y; apply parents_in in P; apply Nat.ltb_lt. exact (all_in _ _ Less p P). }
  induction 1 as [x p P|x p a P _ IH]; specialize (L _ _ P); lia.
Qed.
Definition blood x y := exists a, clos_refl_trans_1n nat par x a /\ clos_refl_trans_1n nat par y a.
Definition mate x y := In y (sp x) \/ (x <> y /\ exists c, par c x /\ par c y).
Definition by_side x s := ~ par x s /\ exists p, par x p /\ mate p s.
Lemma akinb_ok x y : blood x y -> negb (akinb x y) = true -> False.
Proof.
  intros (a & A & B); apply up_closed in A, B. rewrite negb_true_iff. unfold akinb; intros N.
  apply not_true_iff_false in N; apply N, existsb_exists; exists a; split; auto; apply mem_ok; auto.
Qed.
Lemma mates_in x y : mate x y -> In y (mates x).
Proof.
  intros [S|(N & c & P & Q)]; unfold mates; apply in_app_iff; [left; auto | right]. apply filter_In; split.
  - apply parents_in in P, Q. apply in_flat_map; exists c. apply mem_ok in P as M; rewrite M; split; auto. apply in_seq.
    destruct (lt_dec c (length l)); [lia|]. exfalso; revert P; unfold parents, fa, mo, get; rewrite nth_overflow by lia; cbn; tauto.
  - apply negb_true_iff, Nat.eqb_neq; auto.
Qed.
Lemma besides_in x s : by_side x s -> In s (besides x).
Proof.
  intros (N & p & P & M); unfold besides; apply filter_In; split.
  - apply in_flat_map; exists p; split; [apply parents_in; auto | apply mates_in; auto].
  - apply negb_true_iff, not_true_iff_false; intros I; apply N, parents_in, mem_ok; auto.
Qed.
Definition make : family.
Proof.
  refine {| person := nat; sex := fsex; father := fun x f => In f (fa x); mother := fun x m => In m (mo x);
            spouse := fun x y => In y (sp x) |}.
  - intros x f I; facts x; apply same_sex_ok. exact (all_in _ _ Male f I).
  - intros x m I; facts x; apply same_sex_ok. exact (all_in _ _ Female m I).
  - intros x y I E; facts x; apply same_sex_ok in E. pose proof (all_in _ _ Sexes y I) as N; cbv beta in N.
    rewrite E in N; discriminate.
  - unfold fa; intros x; destruct (get x) as [[[]]]; apply few_one.
  - unfold mo; intros x; destruct (get x) as [[[]]]; apply few_one.
  - intros x y I; facts x; apply mem_ok. exact (all_in _ _ Sym y I).
  - unfold sp; intros x; destruct (get x) as [[[]]]; apply few_one.
  - intros x A; apply above_less in A; lia.
  - intros x y M K'; facts x. exact (akinb_ok x y K' (all_in _ _ Apart y (mates_in x y M))).
  - intros x s B K'; facts x. exact (akinb_ok x s K' (all_in _ _ Self s (besides_in x s B))).
  - intros x s y B M K'; facts x.
    exact (akinb_ok s y K' (all_in _ _ (all_in _ _ Mates s (besides_in x s B)) y (mates_in x y M))).
  - intros x s t B C N K'; facts x. pose proof (all_in _ _ (all_in _ _ Each s (besides_in x s B)) t (besides_in x t C)) as D.
    cbv beta in D; apply orb_true_iff in D as [D|D]; [apply Nat.eqb_eq in D; contradiction | exact (akinb_ok s t K' D)].
  - intros x s y B M N K'; facts x. pose proof (all_in _ _ (all_in _ _ On s (besides_in x s B)) y (mates_in s y M)) as D.
    cbv beta in D; apply orb_true_iff in D as [D|D]; [apply N, parents_in, mem_ok; auto | exact (akinb_ok x y K' D)].
Defined.

Definition common x y := filter (fun p => mem p (parents y)) (parents x).
Definition sharesb x y := existsb (fun p => mem p (parents y)) (parents x).
Definition bothb x y := existsb (fun p => existsb (fun q => negb (p =? q)) (common x y)) (common x y).
Definition kinb (k : kin) x y : bool :=
  match k with
  | parent_kin => mem y (parents x)
  | sibling_kin => negb (x =? y) && bothb x y
  | spouse_kin => mem y (sp x)
  | grandparent_kin => existsb (fun z => mem y (parents z)) (parents x)
  | pibling_kin => existsb (fun z => negb (z =? y) && sharesb z y) (parents x)
  | half_sibling_kin => negb (x =? y) && (sharesb x y && negb (bothb x y))
  | step_parent_kin => negb (mem y (parents x)) && existsb (fun p => mem y (sp p)) (parents x)
  | step_sibling_kin => negb (sharesb x y) && existsb (fun p => existsb (fun s => mem s (parents y)) (sp p)) (parents x)
  end.
Definition holdsb (r : relation) x y : bool :=
  let (k, turned) := meaning r in if turned then kinb k y x else kinb k x y.
Lemma parent_ok x p : parent make x p <-> mem p (parents x) = true.
Proof. rewrite mem_ok, <- parents_in; reflexivity. Qed.
Lemma spouse_ok x y : spouse make x y <-> mem y (sp x) = true.
Proof. rewrite mem_ok; reflexivity. Qed.
Lemma some_ok (A B : nat -> Prop) L b : (forall z, A z <-> mem z L = true) -> (forall z, B z <-> b z = true) ->
  (exists z, A z /\ B z) <-> existsb b L = true.
Proof.
  intros E E'; rewrite existsb_exists; split; intros (z & P & Q); exists z; split;
  try (apply E'; assumption); [apply mem_ok, E | apply E, mem_ok]; auto.
Qed.
Lemma and_ok (A B : Prop) b c : (A <-> b = true) -> (B <-> c = true) -> (A /\ B <-> b && c = true).
Proof. rewrite andb_true_iff; tauto. Qed.
Lemma not_ok (A : Prop) b : (A <-> b = true) -> (~ A <-> negb b = true).
Proof. rewrite negb_true_iff, <- not_true_iff_false; tauto. Qed.
Lemma same_ok (x y : nat) : x = y <-> (x =? y) = true.
Proof. symmetry; apply Nat.eqb_eq. Qed.
Lemma shares_ok x y : shares make x y <-> sharesb x y = true.
Proof. apply some_ok; intros z; apply parent_ok. Qed.
Lemma common_ok x y z : parent make x z /\ parent make y z <-> mem z (common x y) = true.
Proof. rewrite mem_ok; unfold common; rewrite filter_In, !parent_ok, (mem_ok z (parents x)); tauto. Qed.
Lemma both_ok x y : shares_both make x y <-> bothb x y = true.
Proof.
  unfold shares_both, bothb.
  assert (E : (exists p q : person make, p <> q /\ (parent make x p /\ parent make y p) /\ parent make x q /\ parent make y q)
    <-> exists p, (parent make x p /\ parent make y p) /\ exists q, (parent make x q /\ parent make y q) /\ p <> q).
  { split; [intros (p & q & N & P & Q); eauto 6 | intros (p & P & q & Q & N); exists p, q; auto]. }
  rewrite E. apply some_ok; intros p; [apply common_ok|]. apply some_ok; intros q; [apply common_ok|].
  apply not_ok, same_ok.
Qed.
Lemma kinb_ok k x y : kin_holds make k x y <-> kinb k x y = true.
Proof.
  destruct k; cbn [kin_holds kinb]; unfold sibling, half_sibling, grandparent, pibling, step_parent, step_sibling.
  - apply parent_ok.
  - apply and_ok; [apply not_ok, same_ok | apply both_ok].
  - apply spouse_ok.
  - apply some_ok; intros z; apply parent_ok.
  - apply some_ok; intros z; [apply parent_ok|]. apply and_ok; [apply not_ok, same_ok | apply shares_ok].
  - apply and_ok; [apply not_ok, same_ok|]. apply and_ok; [apply shares_ok | apply not_ok, both_ok].
  - apply and_ok; [apply not_ok, parent_ok|]. apply some_ok; intros z; [apply parent_ok | apply spouse_ok].
  - apply and_ok; [apply not_ok, shares_ok|].
    assert (E : (exists p s : person make, parent make x p /\ spouse make p s /\ parent make y s)
      <-> exists p, parent make x p /\ exists s, spouse make p s /\ parent make y s).
    { split; [intros (p & s & P & S & Q); eauto 6 | intros (p & P & s & S & Q); exists p, s; auto]. }
    rewrite E. apply some_ok; intros p; [apply parent_ok|]. apply some_ok; intros s; [apply spouse_ok | apply parent_ok].
Qed.
Lemma holdsb_ok r x y : holds make r x y <-> holdsb r x y = true.
Proof. unfold holds, holdsb; destruct (meaning r) as [k []]; apply kinb_ok. Qed.
End Finite.
