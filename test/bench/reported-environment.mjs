// A child of the bench that answers each question with its environment.
process.on('message', () => process.send({ value: [process.env.NODE_PATH ?? null, process.env.HOME] }))
