;;@ expect: C010 C016
;; Nothing at all.
(component)
