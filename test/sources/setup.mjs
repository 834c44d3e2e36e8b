// Before each test file. What it imports is evaluated once for each process, as files that share one need it.
import './register.mjs'
