import { once, z } from '#kit'
import type { ExampleCase, TriggerExampleCase } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import type { HttpApp } from './parts.ts'
import { id, valuesByName } from '../../api/resources/fields.ts'

const title = () => z.string().min(1).max(200)

const runBody = once(() =>
  z.strictObject({
    integration: id,
    step: id,
    connection: id.optional(),
    input: valuesByName(),
    title: title(),
    fails: z.boolean().optional(),
    pages: z.int().min(1).max(10).optional(),
  }),
)

const deliveryBody = once(() =>
  z.strictObject({
    integration: id,
    trigger: id,
    connection: id.optional(),
    title: title(),
    config: valuesByName(),
    facts: valuesByName().optional(),
    delivery: z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() }).optional(),
    event: z.string().optional(),
  }),
)

export type Recorder = {
  folder: string | undefined
  record(pack: Pack, caller: Caller, call: z.output<ReturnType<typeof runBody>>): Promise<ExampleCase[]>
  recordDelivery(
    pack: Pack,
    caller: Caller,
    call: z.output<ReturnType<typeof deliveryBody>>,
  ): Promise<TriggerExampleCase>
}

/** Not part of the public API: the routes exist only where an author works on an integration. */
export const recordRoutes = (app: HttpApp, pack: Pack, recorder: Recorder) => {
  const config = { access: ['run'] as const }
  app.get('/dev/record', { config, schema: { hide: true } }, async () => ({ folder: recorder.folder ?? null }))
  app.post('/dev/record', { config, schema: { hide: true, body: runBody() } }, (request) =>
    recorder.record(pack, request.caller, request.body),
  )
  app.post('/dev/record/delivery', { config, schema: { hide: true, body: deliveryBody() } }, (request) =>
    recorder.recordDelivery(pack, request.caller, request.body),
  )
}
