import type { ShownSentence } from '../../../api/resources/sentence.ts'

/** What happened, in words; the parts that others wrote stand out and are shown as text. */
export const Sentence = ({ of, otherwise }: { of: ShownSentence | null; otherwise: string }) =>
  of === null ? (
    <span>{otherwise}</span>
  ) : (
    <span class="sentence">
      {of.parts.map(({ text, role, unnamed }, at) =>
        role === undefined || unnamed ? (
          text
        ) : role === 'quote' ? (
          <q key={at}>{text}</q>
        ) : (
          <b key={at} class={`part of-${role}`}>
            {text}
          </b>
        ),
      )}
    </span>
  )
