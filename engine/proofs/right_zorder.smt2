; Right: the bits of two coordinates in turn. Farther in both directions is never lower, and every point comes back.
; Rust: engine::keys::interleave(x, y), deinterleave, for the point whose x is the upper half of v and whose y the lower.
(set-logic QF_BV)
(set-info :status unsat)

(define-fun x ((v (_ BitVec 64))) (_ BitVec 32) ((_ extract 63 32) v))
(define-fun y ((v (_ BitVec 64))) (_ BitVec 32) ((_ extract 31 0) v))

; A 0 before each bit: halves move apart, then quarters, down to single bits.
(define-fun spread ((c (_ BitVec 32))) (_ BitVec 64)
  (let ((b ((_ zero_extend 32) c)))
  (let ((b (bvand (bvor b (bvshl b #x0000000000000010)) #x0000ffff0000ffff)))
  (let ((b (bvand (bvor b (bvshl b #x0000000000000008)) #x00ff00ff00ff00ff)))
  (let ((b (bvand (bvor b (bvshl b #x0000000000000004)) #x0f0f0f0f0f0f0f0f)))
  (let ((b (bvand (bvor b (bvshl b #x0000000000000002)) #x3333333333333333)))
  (bvand (bvor b (bvshl b #x0000000000000001)) #x5555555555555555)))))))

; The way back.
(define-fun gather ((n (_ BitVec 64))) (_ BitVec 32)
  (let ((b (bvand n #x5555555555555555)))
  (let ((b (bvand (bvor b (bvlshr b #x0000000000000001)) #x3333333333333333)))
  (let ((b (bvand (bvor b (bvlshr b #x0000000000000002)) #x0f0f0f0f0f0f0f0f)))
  (let ((b (bvand (bvor b (bvlshr b #x0000000000000004)) #x00ff00ff00ff00ff)))
  (let ((b (bvand (bvor b (bvlshr b #x0000000000000008)) #x0000ffff0000ffff)))
  ((_ extract 31 0) (bvor b (bvlshr b #x0000000000000010)))))))))
(define-fun value ((k (_ BitVec 64))) (_ BitVec 64)
  (concat (gather (bvlshr k #x0000000000000001)) (gather k)))

; The key, its first byte in the highest bits.
(define-fun key ((v (_ BitVec 64))) (_ BitVec 64)
  (bvor (bvshl (spread (x v)) #x0000000000000001) (spread (y v))))

; Not to the right of the other point and not above it. Of two points neither may be before the other.
(define-fun before ((a (_ BitVec 64)) (b (_ BitVec 64))) Bool
  (and (bvule (x a) (x b)) (bvule (y a) (y b))))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(assert (or
  (and (before a b) (bvugt (key a) (key b)))     ; the corners of a rectangle
  (not (= (value (key a)) a))                    ; the way back
))
(check-sat)
