(* The blended world of docs/kinship.md, any number of people: second marriages, and parents who are not married to each
   other; and what its relations are by definition. *)
Require Import Relation_Operators.

Inductive gender := male | female.

Record family := {
  person : Type;                          (* any type: finite or infinite *)
  sex : person -> gender;
  father : person -> person -> Prop;      (* father x f: f is the father of x *)
  mother : person -> person -> Prop;
  spouse : person -> person -> Prop;      (* of now *)
  parent x p := father x p \/ mother x p;
  ancestor := clos_trans_1n person parent;                  (* ancestor x a: a is above x *)
  self_or_ancestor := clos_refl_trans_1n person parent;
  akin x y := exists a, self_or_ancestor x a /\ self_or_ancestor y a;
  partner x y := spouse x y \/ (x <> y /\ exists c, parent c x /\ parent c y);
  beside x s := ~ parent x s /\ exists p, parent x p /\ partner p s;   (* a parent's partner who is no parent *)
  (* 1 *)
  father_male : forall x f, father x f -> sex f = male;
  mother_female : forall x m, mother x m -> sex m = female;
  other_gender : forall x y, spouse x y -> sex x <> sex y;
  (* 2' *)
  one_father : forall x f g, father x f -> father x g -> f = g;
  one_mother : forall x m n, mother x m -> mother x n -> m = n;
  married : forall x y, spouse x y -> spouse y x;
  one_spouse : forall x y z, spouse x y -> spouse x z -> y = z;
  (* 3 *)
  no_cycle : forall x, ~ ancestor x x;
  (* 4' *)
  strangers : forall x y, partner x y -> ~ akin x y;
  (* 6 *)
  beside_self : forall x s, beside x s -> ~ akin x s;
  beside_partner : forall x s y, beside x s -> partner x y -> ~ akin s y;
  beside_each : forall x s t, beside x s -> beside x t -> s <> t -> ~ akin s t;
  beside_on : forall x s y, beside x s -> partner s y -> ~ parent x y -> ~ akin x y }.

(* What the relations of a table are read off: each is one of these, from one end or the other. *)
Inductive kin := parent_kin | sibling_kin | spouse_kin | grandparent_kin | pibling_kin | half_sibling_kin
| step_parent_kin | step_sibling_kin.

Section Definitions.
Variable F : family.
Notation person := (person F). Notation parent := (parent F). Notation spouse := (spouse F).

Definition shares (x y : person) := exists p, parent x p /\ parent y p.
Definition shares_both (x y : person) :=
  exists p q, p <> q /\ (parent x p /\ parent y p) /\ (parent x q /\ parent y q).
Definition sibling (x y : person) := x <> y /\ shares_both x y.
Definition half_sibling (x y : person) := x <> y /\ shares x y /\ ~ shares_both x y.
Definition grandparent (x y : person) := exists z, parent x z /\ parent z y.
Definition pibling (x y : person) := exists z, parent x z /\ z <> y /\ shares z y.   (* a parent's sibling or half-sibling *)
Definition step_parent (x y : person) := ~ parent x y /\ exists p, parent x p /\ spouse p y.
Definition step_sibling (x y : person) := ~ shares x y /\ exists p s, parent x p /\ spouse p s /\ parent y s.

(* kin_holds k x y: y is the k of x *)
Definition kin_holds (k : kin) (x y : person) : Prop :=
  match k with
  | parent_kin => parent x y               | sibling_kin => sibling x y
  | spouse_kin => spouse x y               | grandparent_kin => grandparent x y
  | pibling_kin => pibling x y             | half_sibling_kin => half_sibling x y
  | step_parent_kin => step_parent x y     | step_sibling_kin => step_sibling x y
  end.
End Definitions.
