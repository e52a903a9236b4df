import { defineConfig } from 'vitest/config'
import processes from '../process.config.ts'
import { withoutIntegrations } from '../fixtures/reach.ts'
import { testFilesWithout } from '../support/reach.ts'
import base from '../vitest.config.ts'
import { withoutSecrets } from './reach.ts'

const longer = processes.test!.include!

/** Vitest takes projects that run side by side with the same number of workers only. */
const sharedWorkers = { maxWorkers: base.test!.maxWorkers! }
const taps = ['test/canary/tap.ts']
const left = new Set([...longer, ...withoutSecrets()])
const unaffected = new Set(withoutIntegrations())
const opening = testFilesWithout(() => false).filter((file) => !left.has(file))

/** What of the fast suite opens a pack or a store. The rest of it has nothing to search. */
const fast = (name: string, isIncluded: (file: string) => boolean) => ({
  test: { ...base.test!, name, include: opening.filter(isIncluded), setupFiles: taps },
})

/**
 * The suites of whole processes, and what of the fast suite opens a pack or a store, searched for leaks file by file.
 * What a further integration can change is a project of its own: `npm run test:fixture` searches it too.
 */
export default defineConfig({
  test: {
    projects: [
      fast('integrations', (file) => !unaffected.has(file)),
      fast('others', (file) => unaffected.has(file)),
      { test: { ...processes.test!, ...sharedWorkers, name: 'processes', setupFiles: taps } },
    ],
  },
})
