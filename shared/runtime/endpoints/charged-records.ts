import type { FoundFor } from '../catalogue/price.ts'
import type { FindCharged } from '../gate/pass.ts'
import { noMatchIn } from './answers.ts'
import { readingOf } from './endpoints.ts'
import { foundRecord, takeList, takeRecord } from './records.ts'

/** The records in an answer that are charged for. An answer that cannot be read may contain all that were requested. */
export const findCharged: FindCharged = async (pass, { name, endpoint, many, recordCount: asked }, reply) => {
  if (many || name === undefined) return Array.from({ length: asked }, () => ({ values: {}, record: undefined }))
  if (await noMatchIn(pass, name, reply)) return 'missed'
  const { loaded } = pass.loaded
  const from = { provider: loaded.integration.id, endpoint: '', at: 0 }
  const forOne = (raw: unknown): FoundFor => ({
    values: {},
    record: foundRecord(raw, readingOf(loaded, endpoint), from).record,
  })
  const paths = endpoint.record ?? ['']
  if (endpoint.page) return (takeList(reply.body, paths) ?? []).map(forOne)
  const taken = takeRecord(reply.body, paths, endpoint.recordIs)
  return 'record' in taken ? [forOne(taken.record)] : 'none' in taken ? [] : [{ values: {}, record: undefined }]
}
