;;@ expect: C010 C013 C014 C016
;; The host’s own function offered as an entry point.
(component
  (import "assay:strategy/exchange@0.2.0" (instance $e (export "wake-at" (func (param "time" u64)))))
  (alias export $e "wake-at" (func $f))
  (export "on-simulation-end" (func $f)))
