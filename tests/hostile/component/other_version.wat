;;@ expect: C016 C039
;; The interface of another version.
(component (import "assay:strategy/exchange@0.1.0" (instance (export "position" (func (result s64))))))
