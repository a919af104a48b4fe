(* Refutations by steps: instances of the axioms over numbered people, each of which leaves one literal or none. A
   refutation is data (Refutations.v); `check` goes through it, and what it passes cannot be (`check_ok`). *)
Require Import List Bool Arith Relation_Operators World. Import ListNotations.

Inductive atom :=
  Par (i p : nat)                   (* p is a parent of i *)
| Sp (i j : nat) | Eq (i j : nat)   (* spouses; the same person *)
| Man (i : nat)
| Anc (i a : nat) | Kin (i j : nat) | Mate (i j : nat) | Bes (i s : nat)   (* ancestor, akin, partner, beside *)
| One (i j : nat) | Two (i j : nat)                                        (* they share a parent, two parents *)
| Rel (k : kin) (i j : nat).                                               (* j is the k of i *)
Definition atom_dec (p q : atom) : {p = q} + {p <> q}. decide equality; try apply Nat.eq_dec; decide equality. Defined.
Definition lit := (bool * atom)%type.
Notation "+ p" := (true, p) (at level 35). Notation "- p" := (false, p).

Inductive axiom :=
  Both (p : atom)
| Eq_refl (i : nat) | Eq_sym (i j : nat) | Eq_trans (i j k : nat)
| Par_left (i j p : nat) | Par_right (p q i : nat) | Sp_same (i j k : nat) | Man_same (i j : nat)
| Sp_sym (i j : nat) | Sp_one (i j k : nat)
| Fathers (i p q : nat) | Mothers (i p q : nat)
| Anc_one (i p : nat) | Anc_more (i p a : nat) | Anc_not (i : nat)
| Kin_same (i j : nat) | Kin_up (i p j : nat) | Kin_sym (i j : nat)
| Mate_married (i j : nat) | Mate_parents (c i j : nat) | Mate_sym (i j : nat) | Mate_kin (i j : nat)
| Bes_is (i p s : nat) | Bes_kin (i s : nat) | Bes_mate (i s j : nat) | Bes_bes (i s t : nat) | Bes_on (i s j : nat)
| One_is (i j p : nat) | One_sym (i j : nat) | One_two (i j k : nat) | Two_is (i j p q : nat) | Two_par (i j p : nat) | Two_sym (i j : nat)
| Is_parent (i j : nat) | Is_sibling (i j : nat) | Is_spouse (i j : nat) | Is_grandparent (i j u : nat)
| Is_pibling (i j u : nat) | Is_half (i j : nat) | Is_step_parent (i j u : nat) | Is_step_sibling (i j u w : nat).

Definition clause (a : axiom) : list lit :=
  match a with
  | Both p => [+p; -p]
  | Eq_refl i => [+Eq i i] | Eq_sym i j => [-Eq i j; +Eq j i] | Eq_trans i j k => [-Eq i j; -Eq j k; +Eq i k]
  | Par_left i j p => [-Eq i j; -Par i p; +Par j p] | Par_right p q i => [-Eq p q; -Par i p; +Par i q]
  | Sp_same i j k => [-Eq i j; -Sp i k; +Sp j k] | Man_same i j => [-Eq i j; -Man i; +Man j]
  | Sp_sym i j => [-Sp i j; +Sp j i] | Sp_one i j k => [-Sp i j; -Sp i k; +Eq j k]
  | Fathers i p q => [-Par i p; -Par i q; -Man p; -Man q; +Eq p q]
  | Mothers i p q => [-Par i p; -Par i q; +Man p; +Man q; +Eq p q]
  | Anc_one i p => [-Par i p; +Anc i p] | Anc_more i p a => [-Par i p; -Anc p a; +Anc i a] | Anc_not i => [-Anc i i]
  | Kin_same i j => [-Eq i j; +Kin i j] | Kin_up i p j => [-Par i p; -Kin p j; +Kin i j]
  | Kin_sym i j => [-Kin i j; +Kin j i]
  | Mate_married i j => [-Sp i j; +Mate i j] | Mate_parents c i j => [-Par c i; -Par c j; +Eq i j; +Mate i j]
  | Mate_sym i j => [-Mate i j; +Mate j i] | Mate_kin i j => [-Mate i j; -Kin i j]
  | Bes_is i p s => [-Par i p; -Mate p s; +Par i s; +Bes i s] | Bes_kin i s => [-Bes i s; -Kin i s]
  | Bes_mate i s j => [-Bes i s; -Mate i j; -Kin s j] | Bes_bes i s t => [-Bes i s; -Bes i t; +Eq s t; -Kin s t]
  | Bes_on i s j => [-Bes i s; -Mate s j; +Par i j; -Kin i j]
  | One_is i j p => [-Par i p; -Par j p; +One i j] | One_sym i j => [-One i j; +One j i]
  | One_two i j k => [-Two i j; -One i k; +One j k]
  | Two_is i j p q => [-Par i p; -Par j p; -Par i q; -Par j q; +Eq p q; +Two i j]
  | Two_par i j p => [-Two i j; -Par i p; +Par j p] | Two_sym i j => [-Two i j; +Two j i]
  | Is_parent i j => [-Par i j; +Rel parent_kin i j]
  | Is_sibling i j => [+Eq i j; -Two i j; +Rel sibling_kin i j]
  | Is_spouse i j => [-Sp i j; +Rel spouse_kin i j]
  | Is_grandparent i j u => [-Par i u; -Par u j; +Rel grandparent_kin i j]
  | Is_pibling i j u => [-Par i u; +Eq u j; -One u j; +Rel pibling_kin i j]
  | Is_half i j => [+Eq i j; -One i j; +Two i j; +Rel half_sibling_kin i j]
  | Is_step_parent i j u => [-Par i u; -Sp u j; +Par i j; +Rel step_parent_kin i j]
  | Is_step_sibling i j u w => [-Par i u; -Sp u w; -Par j w; +One i j; +Rel step_sibling_kin i j]
  end.

Inductive refutation := Last (a : axiom) | Step (a : axiom) (r : refutation) | Split (p : atom) (yes no : refutation).
Definition turned (l : lit) : lit := (negb (fst l), snd l).
Definition lit_eqb (l m : lit) := eqb (fst l) (fst m) && if atom_dec (snd l) (snd m) then true else false.
Definition false_by (known : list lit) (l : lit) := existsb (lit_eqb (turned l)) known.
Fixpoint check (known : list lit) (r : refutation) : bool :=
  match r with
  | Last a => forallb (false_by known) (clause a)
  | Step a r => match filter (fun l => negb (false_by known l)) (clause a) with [l] => check (l :: known) r | _ => false end
  | Split p yes no => check (+p :: known) yes && check (-p :: known) no
  end.

(* What is told of i and j by "j is the k of i", over the people n and n + 1 between them. *)
Definition told (k : kin) (i j n : nat) : list lit :=
  let m := S n in
  match k with
  | parent_kin => [+Par i j] | spouse_kin => [+Sp i j]
  | sibling_kin => [-Eq i j; +Par i n; +Par j n; +Par i m; +Par j m; -Eq n m]
  | grandparent_kin => [+Par i n; +Par n j]
  | pibling_kin => [+Par i n; -Eq n j; +Par n m; +Par j m]
  | half_sibling_kin => [-Eq i j; -Two i j; +Par i n; +Par j n]
  | step_parent_kin => [-Par i j; +Par i n; +Sp n j]
  | step_sibling_kin => [-One i j; +Par i n; +Sp n m; +Par j m]
  end.

Section Meaning.
Variable F : family.
Notation person := (person F). Notation parent := (parent F). Notation spouse := (spouse F).
Variable e : nat -> person.
Definition means (p : atom) : Prop :=
  match p with
  | Par i p => parent (e i) (e p) | Sp i j => spouse (e i) (e j) | Eq i j => e i = e j | Man i => sex F (e i) = male
  | Anc i a => ancestor F (e i) (e a) | Kin i j => akin F (e i) (e j) | Mate i j => partner F (e i) (e j)
  | Bes i s => beside F (e i) (e s) | One i j => shares F (e i) (e j) | Two i j => shares_both F (e i) (e j)
  | Rel k i j => kin_holds F k (e i) (e j)
  end.
Definition is (l : lit) : Prop := if fst l then means (snd l) else ~ means (snd l).

Lemma parents_of_a_man x p q : parent x p -> parent x q -> sex F p = male -> sex F q = male -> p = q.
Proof.
  intros [P|P] [Q|Q] M N; try (apply mother_female in P; congruence); try (apply mother_female in Q; congruence).
  exact (one_father F x p q P Q).
Qed.
Lemma parents_of_no_man x p q : parent x p -> parent x q -> sex F p <> male -> sex F q <> male -> p = q.
Proof.
  intros [P|P] [Q|Q] M N; try (apply father_male in P; congruence); try (apply father_male in Q; congruence).
  exact (one_mother F x p q P Q).
Qed.
Lemma one_of_both x p q r : parent x p -> parent x q -> parent x r -> p <> q -> p = r \/ q = r.
Proof.
  intros P Q R N. destruct (sex F p) eqn:Sp, (sex F q) eqn:Sq, (sex F r) eqn:Sr;
  try (destruct N; first [ apply (parents_of_a_man x); assumption | apply (parents_of_no_man x); congruence ]);
  first [ left; apply (parents_of_a_man x); assumption | left; apply (parents_of_no_man x); congruence
        | right; apply (parents_of_a_man x); assumption | right; apply (parents_of_no_man x); congruence ].
Qed.
Lemma shared x y p : shares_both F x y -> parent x p -> parent y p.
Proof. intros (q & r & N & (A & B) & C & D) P. destruct (one_of_both x q r p A C P N); subst; assumption. Qed.
Lemma akin_up x p y : parent x p -> akin F p y -> akin F x y.
Proof. intros P (a & A & B); exists a; split; auto. eapply rt1n_trans; eassumption. Qed.
Lemma akin_sym x y : akin F x y -> akin F y x.
Proof. intros (a & A & B); exists a; auto. Qed.

Ltac grasp H := repeat (let K := fresh "K" in apply Forall_cons_iff in H as [K H]; cbn [is fst snd means] in K).
(* Of every clause one literal is true: all of them false is absurd. *)
Lemma clause_is a : Forall (fun l => ~ is l) (clause a) -> False.
Proof.
  destruct a; cbn [clause]; intros H; grasp H; clear H;
  repeat match goal with K : ~ ~ _ |- False => apply K; clear K; intro end; cbn [kin_holds] in *.
  all: try congruence.
  - apply K0; apply married; assumption.
  - apply K1; eapply one_spouse; eassumption.
  - apply K3; eapply parents_of_a_man; eassumption.
  - apply K3; eapply parents_of_no_man; eassumption.
  - apply K0; apply t1n_step; assumption.
  - apply K1; eapply t1n_trans; eassumption.
  - exact (no_cycle F _ H).
  - apply K0; rewrite H; exists (e j); split; constructor.
  - apply K1; eapply akin_up; eassumption.
  - apply K0; apply akin_sym; assumption.
  - apply K0; left; assumption.
  - apply K2; right; split; [assumption|]; eauto.
  - apply K0; destruct H as [S|(N & c & P & Q)]; [left; apply married; assumption|right; split; eauto].
  - exact (strangers F _ _ H0 H).
  - apply K2; split; [assumption|]; eauto.
  - exact (beside_self F _ _ H0 H).
  - exact (beside_partner F _ _ _ H1 H0 H).
  - exact (beside_each F _ _ _ H1 H0 K1 H).
  - exact (beside_on F _ _ _ H1 H0 K1 H).
  - apply K1; eexists; split; eassumption.
  - apply K0; destruct H as (p & P & Q); exists p; auto.
  - apply K1; destruct H as (p & P & Q); exists p; split; [exact (shared _ _ _ H0 P) | assumption].
  - apply K4; exists (e p), (e q); auto.
  - exact (K1 (shared _ _ _ H0 H)).
  - apply K0; destruct H as (p & q & N & (A & B) & C & D); exists p, q; auto.
  - apply K1; split; assumption.
  - apply K1; eexists; split; eassumption.
  - apply K2; eexists; split; [eassumption|split; assumption].
  - apply K2; split; [assumption|split; assumption].
  - apply K2; split; [assumption|]; eexists; split; eassumption.
  - apply K3; split; [assumption|]; do 2 eexists; split; [|split]; eassumption.
Qed.
Lemma lit_eqb_ok l m : lit_eqb l m = true -> l = m.
Proof.
  unfold lit_eqb; rewrite andb_true_iff; intros [E D]; apply eqb_prop in E.
  destruct (atom_dec (snd l) (snd m)); [|discriminate]. destruct l, m; cbn in *; congruence.
Qed.
Lemma false_by_ok known l : (forall m, In m known -> is m) -> false_by known l = true -> ~ is l.
Proof.
  intros K E; apply existsb_exists in E as (m & I & E); apply lit_eqb_ok in E; apply K in I; subst m.
  destruct l as [[] p]; cbn in *; auto.
Qed.
Theorem check_ok r : forall known, check known r = true -> (forall l, In l known -> is l) -> False.
Proof.
  induction r as [a|a r IH|p yes IHyes no IHno]; intros known C K; cbn [check] in C.
  - apply (clause_is a), Forall_forall; intros l I. rewrite forallb_forall in C. exact (false_by_ok known l K (C l I)).
  - destruct (filter _ (clause a)) as [|l [|]] eqn:E; try discriminate.
    apply (clause_is a), Forall_forall; intros m I. destruct (false_by known m) eqn:Fm; [exact (false_by_ok known m K Fm)|].
    assert (J : In m (filter (fun l => negb (false_by known l)) (clause a))) by (apply filter_In; rewrite Fm; auto).
    rewrite E in J; destruct J as [->|[]]. intros L; apply (IH (m :: known) C). intros n [<-|J]; auto.
  - apply andb_true_iff in C as [C D]. apply (IHno (-p :: known) D). intros l [<-|I]; [|auto].
    intros P; apply (IHyes (+p :: known) C). intros l [<-|I]; auto.
Qed.
End Meaning.

Lemma told_ok F k x y : kin_holds F k x y -> exists u w, forall e i j n, e i = x -> e j = y -> e n = u -> e (S n) = w ->
  forall l, In l (told k i j n) -> is F e l.
Proof.
  destruct k; cbn [kin_holds]; intros H;
  [ exists x, x | destruct H as (N & u & w & M & (A & B) & C & D); exists u, w | exists x, x
  | destruct H as (u & A & B); exists u, x | destruct H as (u & A & N & w & B & C); exists u, w
  | destruct H as (N & (u & A & B) & M); exists u, x | destruct H as (N & u & A & B); exists u, x
  | destruct H as (N & u & w & A & B & C); exists u, w ];
  intros e i j n <- <- Eu Ew l I; cbn in I;
  repeat (destruct I as [<-|I]; [cbn [is fst snd means]; rewrite ?Eu, ?Ew; assumption|]); destruct I.
Qed.
