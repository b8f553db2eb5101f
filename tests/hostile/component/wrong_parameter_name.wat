;;@ expect: C009 C010 C016
;; Another name for a parameter.
(component (import "assay:strategy/exchange@0.2.0" (instance (export "wake-at" (func (param "when" u64))))))
