import { once, z } from '#kit'
import type { ExampleCase } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import type { HttpApp } from './parts.ts'
import { id, valuesByName } from '../../api/resources/fields.ts'

const body = once(() =>
  z.strictObject({
    integration: id,
    step: id,
    connection: id.optional(),
    input: valuesByName(),
    title: z.string().min(1).max(200),
  }),
)

export type Recorder = {
  folder: string | undefined
  record(pack: Pack, caller: Caller, call: z.output<ReturnType<typeof body>>): Promise<ExampleCase>
}

/** Not part of the public API: the route exists only where an author works on an integration. */
export const recordRoute = (app: HttpApp, pack: Pack, recorder: Recorder) => {
  const config = { access: ['run'] as const }
  app.get('/dev/record', { config, schema: { hide: true } }, async () => ({ folder: recorder.folder ?? null }))
  app.post('/dev/record', { config, schema: { hide: true, body: body() } }, (request) =>
    recorder.record(pack, request.caller, request.body),
  )
}
