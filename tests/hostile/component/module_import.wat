;;@ expect: C008 C010 C016
;; Asks the host for a module.
(component (import "helper" (core module)))
