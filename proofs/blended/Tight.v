(* Every entry of the table is needed: for each there is a family. (Not for all genders of the three: two parents of one
   child are a man and a woman, which the table does not say.) *)
Require Import List Bool Arith World Table Holds Sound Narrowing Witnesses Finite. Import ListNotations.

Definition key a b s (w : witness) :=
  let '(a', b', s', _, _, _) := w in
  if rel_dec a a' then if rel_dec b b' then if opt_dec s s' then true else false else false else false.
Definition shows a b s (w : witness) :=
  let '(_, _, _, _, (x, y, z), l) := w in
  good l && negb (x =? y) && negb (y =? z) && negb (x =? z) && holdsb l a x y && holdsb l b y z
  && match s with Some r => holdsb l r x z | None => forallb (fun r => negb (holdsb l r x z)) everyone end.
Definition covered := forallb (fun a => forallb (fun b => forallb (fun s =>
  existsb (fun w => if key a b s w then shows a b s w else false) witnesses) (table a b)) everyone) everyone.
Lemma covered_all : covered = true.
Proof. vm_compute; reflexivity. Qed.

Theorem tight a b s : In s (table a b) ->
  exists (F : family) (x y z : person F), x <> y /\ y <> z /\ x <> z /\
    holds F a x y /\ holds F b y z /\ stands F s x z.
Proof.
  intros I. pose proof covered_all as C. unfold covered in C.
  rewrite forallb_forall in C; specialize (C a (all_listed a)).
  rewrite forallb_forall in C; specialize (C b (all_listed b)).
  rewrite forallb_forall in C; specialize (C s I). apply existsb_exists in C as (w & _ & C).
  destruct (key a b s w); [|discriminate].
  destruct w as [[[[[? ?] ?] ?] [[x y] z]] l]. unfold shows in C. rewrite !andb_true_iff in C.
  destruct C as [[[[[[Good N] M] O] A] B] S]. rewrite negb_true_iff, Nat.eqb_neq in N, M, O.
  exists (make l Good), x, y, z. repeat (split; [first [assumption | apply holdsb_ok; assumption]|]).
  destruct s; [apply holdsb_ok; assumption|].
  intros t R; apply holdsb_ok in R. rewrite forallb_forall in S.
  specialize (S t (all_listed t)). rewrite R in S; discriminate.
Qed.
Print Assumptions tight.
