import { z } from '#kit'
import { defineOperations } from '../operation.ts'

export const healthOperations = defineOperations({
  live: {
    method: 'GET',
    path: '/livez',
    tag: 'Health',
    summary: 'Check liveness',
    description:
      'Answers 200 while the process runs, whatever state its store is in. Use it as a liveness probe; it needs no token.',
    output: { description: 'The process runs', schema: () => z.object({ status: z.literal('live') }) },
    failures: [],
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'Check readiness',
    description:
      'Answers 200 when the store can be written, otherwise 503 with the reason; also while rows of the audit log have not been written for more than a few seconds. Use it as a readiness probe; it needs no token.',
    output: { description: 'Ready', schema: () => z.object({ status: z.literal('ready') }) },
    failures: ['unavailable', 'internal'],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Health',
    summary: 'Get this document',
    description:
      'This document, with one operation per step. Its server address is the configured public address, otherwise the address of this request.',
    output: { description: 'OpenAPI 3.1', schema: () => z.looseObject({ openapi: z.string() }) },
    failures: [],
  },
})
