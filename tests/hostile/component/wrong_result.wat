;;@ expect: C009 C010 C016
;; A float where the interface has an integer.
(component (import "assay:strategy/exchange@0.2.0" (instance (export "position" (func (result f64))))))
