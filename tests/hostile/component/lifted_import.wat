;;@ expect: C010 C014 C016
;; The same, lowered, bundled and lifted again.
(component
  (import "assay:strategy/exchange@0.2.0" (instance $e (export "wake-at" (func (param "time" u64)))))
  (alias export $e "wake-at" (func $f))
  (core func $lowered (canon lower (func $f)))
  (core instance $bundle (export "f" (func $lowered)))
  (alias core export $bundle "f" (core func $again))
  (func $lifted (param "now" u64) (canon lift (core func $again)))
  (export "on-simulation-end" (func $lifted)))
