(* What a relation of the table is between two people. *)
Require Import List World Table.

(* holds r x y: y is the r of x *)
Definition holds (F : family) (r : relation) (x y : person F) : Prop :=
  let (k, turned) := meaning r in if turned then kin_holds F k y x else kin_holds F k x y.
Definition other (F : family) (x y : person F) := forall r, ~ holds F r x y.

Lemma all_listed r : In r everyone.
Proof. destruct r; cbn; tauto. Qed.
Definition rel_dec (r s : relation) : {r = s} + {r <> s}. decide equality. Defined.
Definition opt_dec (r s : option relation) : {r = s} + {r <> s}. decide equality; apply rel_dec. Defined.
