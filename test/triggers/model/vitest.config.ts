import { defineConfig } from 'vitest/config'

/** Thousands of histories, which take minutes: `npm run test:model`. MODEL_SEED plays the same ones again, MODEL_PART=5 a fifth of them. */
export default defineConfig({
  test: {
    include: ['test/triggers/model/**/*.test.ts'],
    testTimeout: 900_000,
    // Two files, one for each core.
    maxWorkers: 2,
  },
})
