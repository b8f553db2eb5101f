;;@ expect: C010 C011 C016 C033 C036
;; It is run as well.
(component
  (component $inner (import "x" (func)) (export "y" (func 0)))
  (component $other)
  (instance $i (instantiate $other))
  (export "assay:strategy/extra@0.2.0" (instance $i)))
