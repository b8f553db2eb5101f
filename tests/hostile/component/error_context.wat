;;@ expect: C007 C016
;; A type of errors that carry host text.
(component (type error-context))
