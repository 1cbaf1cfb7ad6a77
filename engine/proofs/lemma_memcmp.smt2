; Lemma: comparing nine bytes from the left is comparing the 72-bit number that has the first byte
; in its highest bits. For eight bytes, let the first ones be equal. It carries all the other
; proofs from numbers over to keys, which are compared byte by byte, and it is the whole proof for
; u64 in big-endian bytes.
(set-logic QF_BV)
(set-info :status unsat)

(define-fun byte0 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 71 64) k))
(define-fun byte1 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 63 56) k))
(define-fun byte2 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 55 48) k))
(define-fun byte3 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 47 40) k))
(define-fun byte4 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 39 32) k))
(define-fun byte5 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 31 24) k))
(define-fun byte6 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 23 16) k))
(define-fun byte7 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract 15  8) k))
(define-fun byte8 ((k (_ BitVec 72))) (_ BitVec 8) ((_ extract  7  0) k))

; The first byte that differs decides.
(define-fun comes-first ((a (_ BitVec 72)) (b (_ BitVec 72))) Bool
  (ite (not (= (byte0 a) (byte0 b))) (bvult (byte0 a) (byte0 b))
  (ite (not (= (byte1 a) (byte1 b))) (bvult (byte1 a) (byte1 b))
  (ite (not (= (byte2 a) (byte2 b))) (bvult (byte2 a) (byte2 b))
  (ite (not (= (byte3 a) (byte3 b))) (bvult (byte3 a) (byte3 b))
  (ite (not (= (byte4 a) (byte4 b))) (bvult (byte4 a) (byte4 b))
  (ite (not (= (byte5 a) (byte5 b))) (bvult (byte5 a) (byte5 b))
  (ite (not (= (byte6 a) (byte6 b))) (bvult (byte6 a) (byte6 b))
  (ite (not (= (byte7 a) (byte7 b))) (bvult (byte7 a) (byte7 b))
       (bvult (byte8 a) (byte8 b)))))))))))

; ---- Is there a pair that breaks the claim? ----
(declare-const a (_ BitVec 72))
(declare-const b (_ BitVec 72))
(assert (not (= (comes-first a b) (bvult a b))))
(check-sat)
