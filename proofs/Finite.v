(* Families as lists of rows: whether one is a family, and what holds in it, is worked out. *)
Require Import List Bool Arith Lia Relation_Operators World Table Holds Sound Witnesses. Import ListNotations.

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
Definition ok x :=
  forallb (fun f => same_sex (fsex f) male) (fa x)
  && forallb (fun m => same_sex (fsex m) female) (mo x)
  && forallb (fun f => forallb (fun m => mem m (sp f)) (mo x)) (fa x)
  && forallb (fun p => forallb (fun q => mem q (parents x)) (sp p)) (parents x)
  && forallb (fun p => p <? x) (parents x)
  && forallb (fun y => mem x (sp y)) (sp x)
  && forallb (fun y => negb (same_sex (fsex x) (fsex y))) (sp x)
  && forallb (fun y => forallb (fun a => negb (mem a (up y))) (up x)) (sp x)
  && forallb (fun p => forallb (fun a => mem a (up x)) (up p)) (parents x).
Definition good := forallb ok (seq 0 (length l)).
Hypothesis H : good = true.

Lemma ok_all x : ok x = true.
Proof.
  destruct (lt_dec x (length l)) as [L|L].
  - unfold good in H; rewrite forallb_forall in H; apply H, in_seq; lia.
  - unfold ok, parents, fa, mo, sp, get; rewrite nth_overflow by lia; reflexivity.
Qed.
Lemma all_in (f : nat -> bool) L : forallb f L = true -> forall a, In a L -> f a = true.
Proof. apply forallb_forall. Qed.
Ltac facts x := pose proof (ok_all x) as K; unfold ok in K; rewrite !andb_true_iff in K;
  destruct K as [[[[[[[[Male Female] Wed] Step] Less] Sym] Sexes] Apart] Up].
Lemma parents_in x p : In p (fa x) \/ In p (mo x) <-> In p (parents x).
Proof. unfold parents; rewrite in_app_iff; tauto. Qed.
Lemma up_closed x a : clos_refl_trans_1n nat (fun x p => In p (fa x) \/ In p (mo x)) x a -> In a (up x).
Proof.
  induction 1 as [x|x p a P _ IH]; [unfold up; destruct (length l); left; auto|].
  facts x; apply parents_in in P. apply mem_ok. exact (all_in _ _ (all_in _ _ Up p P) a IH).
Qed.
Lemma above_less x a : clos_trans_1n nat (fun x p => In p (fa x) \/ In p (mo x)) x a -> a < x.
Proof.
  assert (L : forall x p, In p (fa x) \/ In p (mo x) -> p < x).
  { intros y p P; facts y; apply parents_in in P; apply Nat.ltb_lt. exact (all_in _ _ Less p P). }
  induction 1 as [x p P|x p a P _ IH]; specialize (L _ _ P); lia.
Qed.
Definition make : family.
Proof.
  refine {| person := nat; sex := fsex; father := fun x f => In f (fa x); mother := fun x m => In m (mo x);
            spouse := fun x y => In y (sp x) |}.
  - intros x f I; facts x; apply same_sex_ok. exact (all_in _ _ Male f I).
  - intros x m I; facts x; apply same_sex_ok. exact (all_in _ _ Female m I).
  - unfold fa; intros x; destruct (get x) as [[[]]]; apply few_one.
  - unfold mo; intros x; destruct (get x) as [[[]]]; apply few_one.
  - intros x f m I J; facts x; apply mem_ok. exact (all_in _ _ (all_in _ _ Wed f I) m J).
  - intros x p q I J; facts x; apply parents_in; apply parents_in in I; apply mem_ok.
    exact (all_in _ _ (all_in _ _ Step p I) q J).
  - intros x A; apply above_less in A; lia.
  - intros x y I; facts x; apply mem_ok. exact (all_in _ _ Sym y I).
  - unfold sp; intros x; destruct (get x) as [[[]]]; apply few_one.
  - intros x y I E; facts x; apply same_sex_ok in E. pose proof (all_in _ _ Sexes y I) as N; cbv beta in N.
    rewrite E in N; discriminate.
  - intros x y a I A B; facts x; apply up_closed in A, B; apply mem_ok in B.
    pose proof (all_in _ _ (all_in _ _ Apart y I) a A) as N; cbv beta in N. rewrite B in N; discriminate.
Defined.

Definition sib x y := negb (x =? y) && existsb (fun p => mem p (parents y)) (parents x).
Definition kinb (k : kin) x y : bool :=
  let gp x y := existsb (fun z => mem y (parents z)) (parents x) in
  let pib x y := existsb (fun z => sib z y) (parents x) in
  match k with
  | parent_kin => mem y (parents x)  | sibling_kin => sib x y
  | spouse_kin => mem y (sp x)       | grandparent_kin => gp x y
  | pibling_kin => pib x y           | parent_in_law_kin => existsb (fun z => mem y (parents z)) (sp x)
  | sibling_in_law_kin => existsb (fun z => sib z y) (sp x) || existsb (fun z => sib z x) (sp y)
  | great_grandparent_kin => existsb (fun z => gp z y) (parents x)
  | cousin_kin => existsb (fun z => pib y z) (parents x)
  end.
Definition holdsb (r : relation) x y : bool :=
  let (k, turned) := meaning r in if turned then kinb k y x else kinb k x y.
Lemma parent_ok x p : parent make x p <-> mem p (parents x) = true.
Proof. rewrite mem_ok, <- parents_in; reflexivity. Qed.
Lemma spouse_ok x y : spouse make x y <-> mem y (sp x) = true.
Proof. rewrite mem_ok; reflexivity. Qed.
Lemma sib_ok x y : sibling make x y <-> sib x y = true.
Proof.
  unfold sib; rewrite andb_true_iff, negb_true_iff, Nat.eqb_neq, existsb_exists; split.
  - intros S; apply sibling_out in S as (N & p & P & Q); split; auto; exists p.
    apply parent_ok in P, Q; split; auto; apply mem_ok; auto.
  - intros (N & p & P & Q); apply (sibling_in make x y p); auto; apply parent_ok; auto; apply mem_ok; auto.
Qed.
Lemma some_ok (A B : nat -> Prop) L b : (forall z, A z <-> mem z L = true) -> (forall z, B z <-> b z = true) ->
  (exists z, A z /\ B z) <-> existsb b L = true.
Proof.
  intros E E'; rewrite existsb_exists; split; intros (z & P & Q); exists z; split;
  try (apply E'; assumption); [apply mem_ok, E | apply E, mem_ok]; auto.
Qed.
Lemma kinb_ok k x y : kin_holds make k x y <-> kinb k x y = true.
Proof.
  destruct k; cbn [kin_holds kinb];
  unfold cousin, great_grandparent, grandparent, pibling, parent_in_law, sibling_in_law; rewrite ?orb_true_iff;
  repeat first [ apply parent_ok | apply spouse_ok | apply sib_ok | apply some_ok; intros
               | apply Morphisms_Prop.or_iff_morphism ].
Qed.
Lemma holdsb_ok r x y : holds make r x y <-> holdsb r x y = true.
Proof. unfold holds, holdsb; destruct (meaning r) as [k []]; apply kinb_ok. Qed.
End Finite.
