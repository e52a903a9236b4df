import { resolve } from 'node:path'
import { root, testFilesWithout } from '../support/reach.ts'

/** Whoever makes a secret, an answer or a log line that could leak one goes through these. */
const sources = [
  'pack.ts',
  'store/memory-store.ts',
  'store/sqlite-store.ts',
  'store/postgres/store.ts',
  'store/envelope.ts',
].map((file) => resolve(root, 'shared', file))

/** Test files that import neither a pack nor a store, so that nothing in their process could leak. */
export const withoutSecrets = (): string[] => testFilesWithout((file) => sources.includes(file))
