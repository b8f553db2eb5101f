;;@ expect: C008 C010 C016
;; A bare function instead of an interface.
(component (import "log" (func (param "message" string))))
