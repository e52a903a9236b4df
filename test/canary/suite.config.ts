import { defineConfig } from 'vitest/config'
import processes, { processSuites } from '../process.config.ts'
import base from '../vitest.config.ts'

/** The fast suite and the suites of whole processes once more, searched for leaks file by file. */
export default defineConfig({
  test: {
    ...base.test!,
    exclude: base.test!.exclude!.filter((file) => !processSuites.includes(file)),
    // The suites of whole processes need the time they have on their own.
    testTimeout: processes.test!.testTimeout!,
    hookTimeout: processes.test!.hookTimeout!,
    setupFiles: ['test/canary/tap.ts'],
    // The tap belongs to one file.
    isolate: true,
  },
})
