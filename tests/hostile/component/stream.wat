;;@ expect: C007 C016
;; A stream of values.
(component (type (stream u8)) (type (future u8)))
