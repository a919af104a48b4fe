(* From one composition to a closure: what holds of sets of relations. *)
Require Import List World Table Holds Sound. Import ListNotations.

Section Narrowing.
Variable F : family.
Notation person := (person F). Notation holds := (holds F).

(* What the closure does: sets of relations still possible, `other` (None) among them, its row and column as in
   rules.py (_with_other), two sets composed; x and z of the same gender. *)
Definition stands (s : option relation) (x y : person) :=
  match s with Some r => holds r x y | None => other F x y end.
Definition is_none (s : option relation) := match s with None => true | _ => false end.
Definition all_and_none := None :: map Some everyone.
Definition full_table (a b : option relation) : list (option relation) :=
  match a, b with
  | Some a, Some b => table a b
  | Some r, None => None :: map Some (filter (fun t => existsb is_none (table (inverse r) t)) everyone)
  | None, Some r => None :: map Some (filter (fun t => existsb is_none (table t (inverse r))) everyone)
  | None, None => all_and_none
  end.
Definition among (A : list (option relation)) x y := forall s, stands s x y -> In s A.
Definition union A B := flat_map (fun a => flat_map (full_table a) B) A.

Variable same : decided F.

Lemma dec_In (s : option relation) l : In s l \/ ~ In s l.
Proof. destruct (in_dec opt_dec s l); auto. Qed.
Lemma none_in l : existsb is_none l = false -> ~ In None l.
Proof. intros E I; rewrite <- Bool.not_true_iff_false in E; apply E, existsb_exists; exists None; auto. Qed.
Lemma step a b s x y z : x <> y -> y <> z -> x <> z ->
  stands a x y -> stands b y z -> stands s x z -> In s (full_table a b).
Proof.
  intros N M O A B S. destruct a as [a|], b as [b|]; cbn [full_table].
  - destruct s as [s|]; [exact (only_listed F a b s x y z N M O A B S)|].
    destruct (dec_In None (table a b)) as [|I]; auto. exfalso.
    destruct (one_listed F same a b x y z N M O A B I) as (t & _ & T). exact (S t T).
  - destruct s as [s|]; [right|left; auto]. apply in_map, filter_In; split; [apply all_listed|].
    destruct (existsb is_none (table (inverse a) s)) eqn:E; auto. exfalso; apply none_in in E.
    destruct (one_listed F same _ s y x z (not_eq_sym N) O M (inverse_holds F _ _ _ A) S E) as (t & _ & T). exact (B t T).
  - destruct s as [s|]; [right|left; auto]. apply in_map, filter_In; split; [apply all_listed|].
    destruct (existsb is_none (table s (inverse b))) eqn:E; auto. exfalso; apply none_in in E.
    destruct (one_listed F same s _ x z y O (not_eq_sym M) N S (inverse_holds F _ _ _ B) E) as (t & _ & T). exact (A t T).
  - destruct s as [[]|]; cbn; tauto.
Qed.
Lemma some_stands x y : ~ ~ exists s, stands s x y.
Proof.
  intros H. apply H. exists None. intros r R. apply H. exists (Some r). exact R.
Qed.
Theorem narrowing A B x y z : x <> y -> y <> z -> x <> z -> among A x y -> among B y z -> among (union A B) x z.
Proof.
  intros N M O HA HB s S. destruct (dec_In s (union A B)) as [|I]; auto. exfalso.
  apply (some_stands x y); intros (a & P). apply (some_stands y z); intros (b & Q).
  apply I, in_flat_map; exists a; split; [auto|]. apply in_flat_map; exists b; split; [auto|].
  apply (step a b s x y z); auto.
Qed.
Theorem same_gender A x y r : among A x y -> sex F x = sex F y -> In r opposite ->
  forall s, stands s x y -> In s A /\ s <> Some r.
Proof. intros H E O s S; split; auto. intros ->. exact (opposite_genders F r x y O S E). Qed.
(* one left is a proof *)
Theorem one_left r x y : among [Some r] x y -> ~ ~ holds r x y.
Proof.
  intros H N. apply (some_stands x y); intros (s & S). destruct (H s S) as [<-|[]]. exact (N S).
Qed.
Theorem one_left_classical (em : forall P : Prop, P \/ ~ P) r x y : among [Some r] x y -> holds r x y.
Proof. intros H; destruct (em (holds r x y)) as [|N]; auto. destruct (one_left _ _ _ H N). Qed.
End Narrowing.
Print Assumptions narrowing.
Print Assumptions same_gender.
Print Assumptions one_left_classical.
