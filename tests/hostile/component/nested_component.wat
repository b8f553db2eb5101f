;;@ expect: C010 C016 C033
;; A component that hides another.
(component (component (core module (func))))
