import { defineConfig } from 'vitest/config'
import processes from '../process.config.ts'
import base from '../vitest.config.ts'
import { withoutSecrets } from './reach.ts'

const longer = processes.test!.include!

/** Vitest takes projects that run side by side with the same number of workers only. */
const sharedWorkers = { maxWorkers: base.test!.maxWorkers! }
const taps = ['test/canary/tap.ts']

/**
 * The suites of whole processes, and what of the fast suite opens a pack or a store, searched for leaks file by file.
 * The rest of the fast suite has nothing to search, and has run before.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...base.test!,
          name: 'fast',
          exclude: [...base.test!.exclude!, ...longer, ...withoutSecrets()],
          setupFiles: taps,
        },
      },
      { test: { ...processes.test!, ...sharedWorkers, name: 'processes', setupFiles: taps } },
    ],
  },
})
