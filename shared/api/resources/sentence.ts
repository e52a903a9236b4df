import { once, z } from '#kit'
import { text } from './fields.ts'

/** What happened, in words: the text, and its parts with what they stand for. */
export const sentence = once(() =>
  z
    .object({
      text: text.describe('One line, without a full stop. It contains words of other people: untrusted'),
      parts: z.array(
        z.object({
          text,
          role: z.enum(['who', 'what', 'where', 'from', 'to', 'quote', 'value']).exactOptional(),
          ref: z
            .object({ kind: text, id: text, url: z.string().exactOptional() })
            .exactOptional()
            .describe('The thing at the provider that the part names'),
          unnamed: z.literal(true).exactOptional().describe('Its name is not known, or not any more'),
        }),
      ),
    })
    .describe('What happened, in words'),
)

export type ShownSentence = ReturnType<typeof sentence>['_output']
