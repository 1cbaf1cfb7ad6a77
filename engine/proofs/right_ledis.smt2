; Right: LedisDB's marker byte (3c for negative numbers, 3d for the others), then the number in
; big-endian bytes. Nine bytes sort as signed numbers do, so they sort as the flipped sign bit does.
; Rust: engine::keys::historical::ledis::encode_i64.
(set-logic QF_BV)
(set-info :status unsat)

(define-fun flipped ((v (_ BitVec 64))) (_ BitVec 64) (bvxor v #x8000000000000000))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 72)
  (concat (ite (bvslt v #x0000000000000000) #x3c #x3d) v))

; The order that the keys should have.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (bvslt a b))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (or
  (not (= (before a b) (bvult (key a) (key b)))) ; the order
  (not (= (bvult (flipped a) (flipped b)) (bvult (key a) (key b)))) ; both forms agree
))
(check-sat)
