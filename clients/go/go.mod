module onceproof

go 1.19
