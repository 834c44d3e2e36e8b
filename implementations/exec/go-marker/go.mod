module go-marker

go 1.19

require onceproof v0.0.0

replace onceproof => ../../../clients/go
