import { defineConfig } from 'vitest/config'
import processes, { processSuites } from '../process.config.ts'
import base from '../vitest.config.ts'
import { withoutSecrets } from './reach.ts'

const longer = [...processSuites, 'test/wire/path-fuzz.test.ts']

/**
 * The suites of whole processes, and what of the fast suite opens a pack or a store, searched for leaks file by file.
 * The rest of the fast suite has nothing to search, and has run before.
 */
export default defineConfig({
  test: {
    ...base.test!,
    exclude: [...base.test!.exclude!, ...withoutSecrets()].filter((file) => !longer.includes(file)),
    // The suites of whole processes need the time they have on their own.
    testTimeout: processes.test!.testTimeout!,
    hookTimeout: processes.test!.hookTimeout!,
    setupFiles: ['test/canary/tap.ts'],
    // The tap belongs to one file.
    isolate: true,
  },
})
