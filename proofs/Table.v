(* made by table.py from the rule table with the sha256 551fe508fd801a40e351c706566b49c01850af9104a2086e8b586c1574ef3491;
   None is `other` *)
Require Import List World. Import ListNotations.

Inductive relation :=
  Parent | Child | Sibling | Spouse | Grandparent | Grandchild | Pibling | Nibling | ParentInLaw | ChildInLaw | SiblingInLaw.
Definition everyone : list relation := [Parent; Child; Sibling; Spouse; Grandparent; Grandchild; Pibling; Nibling; ParentInLaw; ChildInLaw; SiblingInLaw].

(* the definition of World.v, and whether it is read from the other end *)
Definition meaning (r : relation) : kin * bool :=
  match r with
  | Parent => (parent_kin, false)
  | Child => (parent_kin, true)
  | Sibling => (sibling_kin, false)
  | Spouse => (spouse_kin, false)
  | Grandparent => (grandparent_kin, false)
  | Grandchild => (grandparent_kin, true)
  | Pibling => (pibling_kin, false)
  | Nibling => (pibling_kin, true)
  | ParentInLaw => (parent_in_law_kin, false)
  | ChildInLaw => (parent_in_law_kin, true)
  | SiblingInLaw => (sibling_in_law_kin, false)
  end.

Definition table (a b : relation) : list (option relation) :=
  match a, b with
  | Parent, Parent => [Some Grandparent]
  | Parent, Child => [Some Sibling]
  | Parent, Sibling => [Some Pibling]
  | Parent, Spouse => [Some Parent]
  | Parent, Grandparent => [None]
  | Parent, Grandchild => [Some Child; Some Nibling]
  | Parent, Pibling => [None]
  | Parent, Nibling => [None]
  | Parent, ParentInLaw => [Some Grandparent]
  | Parent, ChildInLaw => [Some Spouse; Some SiblingInLaw]
  | Parent, SiblingInLaw => [Some Pibling; Some SiblingInLaw; None]
  | Child, Parent => [Some Spouse]
  | Child, Child => [Some Grandchild]
  | Child, Sibling => [Some Child]
  | Child, Spouse => [Some ChildInLaw]
  | Child, Grandparent => [Some Parent; Some ParentInLaw]
  | Child, Grandchild => [None]
  | Child, Pibling => [Some Sibling; Some SiblingInLaw]
  | Child, Nibling => [Some Grandchild]
  | Child, ParentInLaw => [None]
  | Child, ChildInLaw => [None]
  | Child, SiblingInLaw => [Some ChildInLaw; Some SiblingInLaw; None]
  | Sibling, Parent => [Some Parent]
  | Sibling, Child => [Some Nibling]
  | Sibling, Sibling => [Some Sibling]
  | Sibling, Spouse => [Some SiblingInLaw]
  | Sibling, Grandparent => [Some Grandparent]
  | Sibling, Grandchild => [None]
  | Sibling, Pibling => [Some Pibling]
  | Sibling, Nibling => [Some Child; Some Nibling]
  | Sibling, ParentInLaw => [Some ParentInLaw; Some SiblingInLaw; None]
  | Sibling, ChildInLaw => [Some SiblingInLaw; None]
  | Sibling, SiblingInLaw => [Some Spouse; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | Spouse, Parent => [Some ParentInLaw]
  | Spouse, Child => [Some Child]
  | Spouse, Sibling => [Some SiblingInLaw]
  | Spouse, Spouse => []
  | Spouse, Grandparent => [None]
  | Spouse, Grandchild => [Some Grandchild]
  | Spouse, Pibling => [Some SiblingInLaw; None]
  | Spouse, Nibling => [Some Nibling; Some SiblingInLaw; None]
  | Spouse, ParentInLaw => [Some Parent]
  | Spouse, ChildInLaw => [Some ChildInLaw]
  | Spouse, SiblingInLaw => [Some Sibling; Some Pibling; Some Nibling; None]
  | Grandparent, Parent => [None]
  | Grandparent, Child => [Some Parent; Some Pibling]
  | Grandparent, Sibling => [None]
  | Grandparent, Spouse => [Some Grandparent]
  | Grandparent, Grandparent => [None]
  | Grandparent, Grandchild => [Some Sibling; None]
  | Grandparent, Pibling => [None]
  | Grandparent, Nibling => [None]
  | Grandparent, ParentInLaw => [None]
  | Grandparent, ChildInLaw => [Some Parent; Some Pibling; Some SiblingInLaw; None]
  | Grandparent, SiblingInLaw => [Some Pibling; Some SiblingInLaw; None]
  | Grandchild, Parent => [Some Child; Some ChildInLaw]
  | Grandchild, Child => [None]
  | Grandchild, Sibling => [Some Grandchild]
  | Grandchild, Spouse => [None]
  | Grandchild, Grandparent => [Some Spouse; None]
  | Grandchild, Grandchild => [None]
  | Grandchild, Pibling => [Some Child; Some ChildInLaw; Some SiblingInLaw; None]
  | Grandchild, Nibling => [None]
  | Grandchild, ParentInLaw => [None]
  | Grandchild, ChildInLaw => [None]
  | Grandchild, SiblingInLaw => [Some ChildInLaw; Some SiblingInLaw; None]
  | Pibling, Parent => [Some Grandparent]
  | Pibling, Child => [None]
  | Pibling, Sibling => [Some Parent; Some Pibling]
  | Pibling, Spouse => [Some Pibling; Some SiblingInLaw; None]
  | Pibling, Grandparent => [None]
  | Pibling, Grandchild => [None]
  | Pibling, Pibling => [None]
  | Pibling, Nibling => [Some Sibling; None]
  | Pibling, ParentInLaw => [Some Grandparent; Some Pibling; Some ParentInLaw; Some SiblingInLaw; None]
  | Pibling, ChildInLaw => [Some Pibling; Some SiblingInLaw; None]
  | Pibling, SiblingInLaw => [Some Parent; Some Spouse; Some Grandparent; Some Pibling; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | Nibling, Parent => [Some Sibling; Some SiblingInLaw]
  | Nibling, Child => [None]
  | Nibling, Sibling => [Some Nibling]
  | Nibling, Spouse => [Some SiblingInLaw; None]
  | Nibling, Grandparent => [Some Parent; Some ParentInLaw; Some SiblingInLaw; None]
  | Nibling, Grandchild => [None]
  | Nibling, Pibling => [Some Sibling; Some Spouse; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | Nibling, Nibling => [None]
  | Nibling, ParentInLaw => [Some ParentInLaw; Some SiblingInLaw; None]
  | Nibling, ChildInLaw => [Some SiblingInLaw; None]
  | Nibling, SiblingInLaw => [Some Spouse; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | ParentInLaw, Parent => [None]
  | ParentInLaw, Child => [Some Spouse; Some SiblingInLaw]
  | ParentInLaw, Sibling => [Some SiblingInLaw; None]
  | ParentInLaw, Spouse => [Some ParentInLaw]
  | ParentInLaw, Grandparent => [None]
  | ParentInLaw, Grandchild => [Some Child; Some Nibling; Some SiblingInLaw; None]
  | ParentInLaw, Pibling => [Some SiblingInLaw; None]
  | ParentInLaw, Nibling => [Some Nibling; Some SiblingInLaw; None]
  | ParentInLaw, ParentInLaw => [None]
  | ParentInLaw, ChildInLaw => [Some Sibling; Some Pibling; Some Nibling; None]
  | ParentInLaw, SiblingInLaw => [Some Sibling; Some Pibling; Some Nibling; Some SiblingInLaw; None]
  | ChildInLaw, Parent => [None]
  | ChildInLaw, Child => [Some Grandchild]
  | ChildInLaw, Sibling => [Some ChildInLaw; Some SiblingInLaw; None]
  | ChildInLaw, Spouse => [Some Child]
  | ChildInLaw, Grandparent => [None]
  | ChildInLaw, Grandchild => [None]
  | ChildInLaw, Pibling => [Some ChildInLaw; Some SiblingInLaw; None]
  | ChildInLaw, Nibling => [Some Grandchild; Some Nibling; Some ChildInLaw; Some SiblingInLaw; None]
  | ChildInLaw, ParentInLaw => [Some Spouse]
  | ChildInLaw, ChildInLaw => [None]
  | ChildInLaw, SiblingInLaw => [Some Child; Some Sibling; Some Grandchild; Some Pibling; Some Nibling; Some SiblingInLaw; None]
  | SiblingInLaw, Parent => [Some ParentInLaw; Some SiblingInLaw; None]
  | SiblingInLaw, Child => [Some Nibling; Some SiblingInLaw; None]
  | SiblingInLaw, Sibling => [Some Spouse; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | SiblingInLaw, Spouse => [Some Sibling; Some Pibling; Some Nibling; None]
  | SiblingInLaw, Grandparent => [Some ParentInLaw; Some SiblingInLaw; None]
  | SiblingInLaw, Grandchild => [Some Nibling; Some SiblingInLaw; None]
  | SiblingInLaw, Pibling => [Some Spouse; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | SiblingInLaw, Nibling => [Some Child; Some Spouse; Some Grandchild; Some Nibling; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  | SiblingInLaw, ParentInLaw => [Some Parent; Some Sibling; Some Grandparent; Some Pibling; Some Nibling; Some SiblingInLaw; None]
  | SiblingInLaw, ChildInLaw => [Some Sibling; Some Pibling; Some Nibling; Some SiblingInLaw; None]
  | SiblingInLaw, SiblingInLaw => [Some Parent; Some Child; Some Sibling; Some Grandparent; Some Grandchild; Some Pibling; Some Nibling; Some ParentInLaw; Some ChildInLaw; Some SiblingInLaw; None]
  end.

Definition inverse (r : relation) : relation :=
  match r with
  | Parent => Child
  | Child => Parent
  | Sibling => Sibling
  | Spouse => Spouse
  | Grandparent => Grandchild
  | Grandchild => Grandparent
  | Pibling => Nibling
  | Nibling => Pibling
  | ParentInLaw => ChildInLaw
  | ChildInLaw => ParentInLaw
  | SiblingInLaw => SiblingInLaw
  end.

Definition opposite : list relation := [Spouse].
