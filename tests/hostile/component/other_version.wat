;;@ expect: C008 C010 C016
;; The interface of another version.
(component (import "assay:strategy/exchange@0.2.0" (instance (export "position" (func (result s64))))))
