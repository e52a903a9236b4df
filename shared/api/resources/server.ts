import { once, z } from '#kit'
import { text } from './fields.ts'

export const server = once(() =>
  z.object({
    version: text,
    publicUrl: text.nullable().describe('Public address of this server (TOOLYARD_PUBLIC_URL); null: not set'),
    contentsKept: z
      .boolean()
      .describe(
        'Whether input and output of runs are stored for a while (TOOLYARD_RUN_CONTENTS); if not, `contents` of a run is null',
      ),
    creditPrices: z
      .record(text, z.object({ amount: z.number(), currency: text }))
      .describe('What a credit costs, by integration, where the operator says so (TOOLYARD_CREDIT_PRICES)'),
    sandbox: z
      .object({
        places: z.array(
          z.object({
            title: text.describe('The provider it stands in for'),
            integration: text,
            origin: text.describe('Address it listens at'),
            page: text.exactOptional().describe('Address of its page for people, if it has one'),
          }),
        ),
        agent: text.nullable().describe('Address of the example agent, which receives starts; null: there is none'),
      })
      .nullable()
      .describe('The sandbox of this server; null: it has none'),
  }),
)
export type ServerAbout = z.infer<ReturnType<typeof server>>
