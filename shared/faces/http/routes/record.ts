import { z } from '#kit'
import type { ExampleCase } from '#kit'
import type { Pack } from '../../../pack.ts'
import type { Caller } from '../../../runtime/ports/index.ts'
import type { Routes } from '../parts.ts'
import { id, valuesByName } from '../bounds.ts'

const body = z.strictObject({
  integration: id,
  step: id,
  connection: id.optional(),
  input: valuesByName,
  title: z.string().min(1).max(200),
})

export type Recorder = {
  folder: string | undefined
  record(pack: Pack, caller: Caller, call: z.output<typeof body>): Promise<ExampleCase>
}

/** Not part of the public API: it exists where an author works on an integration. */
export const recordRoute =
  (recorder: Recorder): Routes =>
  (app, { pack }) => {
    const config = { access: ['run' as const] }
    app.get('/dev/record', { config, schema: { hide: true } }, async () => ({ folder: recorder.folder ?? null }))
    app.post('/dev/record', { config, schema: { hide: true, body } }, (request) => recorder.record(pack, request.caller, request.body))
  }
