import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../vitest.config.ts'

/** The fast suite once more, searched for leaks file by file. */
export default mergeConfig(base, defineConfig({ test: { setupFiles: ['test/canary/tap.ts'] } }))
