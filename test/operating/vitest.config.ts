import { defineConfig } from 'vitest/config'

/** `npm run test:operating`: what is put around the server. Needs nginx and systemd-analyze; for the image, to be root. */
export default defineConfig({
  test: { include: ['test/operating/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, maxWorkers: 1 },
})
