import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { BulkJob, Vault } from '../ports/index.ts'
import type { RowResult } from './results.ts'

const ivBytes = 12
const tagBytes = 16

export const jobOwner = (id: string) => `job:${id}`
export const newJobKey = () => randomBytes(32).toString('base64')

/** The results of a chunk; null for a row that has none yet. */
export type Results = (RowResult | null)[]

/** Encrypts the stored results of a job with a key of the job: once the key is removed, nobody can read them. */
export const createResultSeal = (vault: Pick<Vault, 'open'>, { tenant, id, secrets }: BulkJob) => {
  const key = Buffer.from(vault.open({ tenant, owner: jobOwner(id) }, secrets)['key']!, 'base64')
  const boundTo = (chunk: number) => Buffer.from(JSON.stringify(['job', 'v1', tenant, id, chunk]))
  return {
    seal(chunk: number, results: Results): Uint8Array {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(chunk))
      const sealed = [iv, cipher.update(JSON.stringify(results)), cipher.final()]
      return Buffer.concat([...sealed, cipher.getAuthTag()])
    },
    /** @throws Failure `unavailable` for content that was changed or moved */
    open(chunk: number, sealed: Uint8Array): Results {
      try {
        const bytes = Buffer.from(sealed)
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
          .setAAD(boundTo(chunk))
          .setAuthTag(bytes.subarray(-tagBytes))
        const plain = Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
        return JSON.parse(plain.toString()) as Results
      } catch (cause) {
        throw fail(
          'unavailable',
          'The stored results of this job are damaged. Restore a backup, or cancel the job and make another one.',
          {
            cause,
            retryable: false,
          },
        )
      }
    },
  }
}
export type ResultSeal = ReturnType<typeof createResultSeal>
