/** What a run would send, and what it may cost. */
import { CodeBlock, Panel } from '../../ui/index.ts'
import type { Preview } from './use-run.ts'

const range = ([least, most]: number[]) => (least === most ? `${least}` : `${least} to ${most}`)

/** The price of this call in words. */
export const priceOf = ({ price }: Preview): string | undefined => {
  if (!price) return undefined
  const { total, typical, per, text } = price
  const counted = total
    ? `${range(total)} ${total[1] === 1 ? 'credit' : 'credits'} in total`
    : `${range(typical)} credits per ${per}`
  return text === undefined ? counted : `${counted} (${text})`
}

const asText = ({ method, url, headers, body }: Preview['requests'][number]) =>
  [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || body === null
      ? []
      : ['', typeof body === 'string' ? body : JSON.stringify(body, null, 2)]),
  ].join('\n')

export const PreviewPanel = ({ preview }: { preview: Preview }) => {
  const price = priceOf(preview)
  const { requests, complete } = preview
  return (
    <Panel title="Preview" label="Preview">
      <p>
        Nothing was sent.{' '}
        {requests.length === 0
          ? 'The step sends no request.'
          : `The run sends ${requests.length === 1 ? 'this request' : 'these requests'}; secrets are masked.`}
        {!complete && ' More follow, depending on the answers.'}
      </p>
      <p>{price === undefined ? 'It costs no credits.' : `Price: ${price}.`}</p>
      {requests.map((request, index) => (
        <CodeBlock key={index} label={`Request ${index + 1}`} text={asText(request)} />
      ))}
    </Panel>
  )
}
