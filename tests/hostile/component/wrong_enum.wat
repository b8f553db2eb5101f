;;@ expect: C009 C010 C016
;; A side that the market does not have.
(component
  (import "assay:strategy/types@0.2.0" (instance
    (type $side (enum "buy" "sell" "steal"))
    (export "side" (type (eq $side))))))
