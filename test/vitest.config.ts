import { defineConfig } from 'vitest/config'
import { patientPoll, processSuites } from './process.config.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      ...processSuites,
      'test/faults/**',
      'test/canary/**',
      'test/kill/**',
      'test/nodes/**',
      'test/drill/**',
      'test/long/**',
      'test/triggers/model/**',
      'test/package/**',
      'test/platforms/**',
      'test/agents/**',
      'test/operating/**',
      'test/openapi/**',
      'test/e2e/**',
      'test/bench/**',
      'test/tools/**',
      '**/node_modules/**',
    ],
    // Far above what any test needs: on a busy machine a slow test is not a broken one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: patientPoll },
    // Half the work of the suite was to load the same modules anew for each file; files that share a process leave
    // nothing behind in it.
    isolate: false,
    // One more than there are cores on a small machine: a third of the time of a worker is waiting for limits of time
    // and for the disk.
    maxWorkers: 3,
    // Of tests that are marked as concurrent: they wait for limits of time.
    maxConcurrency: 20,
  },
})
