/** What a run would cost, beside the button that runs it. */
import { useEffect, useState } from 'preact/hooks'
import { post } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import type { DryRunDone } from '../../../../api/resources/run.ts'
import type { Intent } from './intents.ts'
import { priceOf } from './preview.tsx'

/** How long the input must stay the same before it is priced. */
const pauseMs = 700

/** The price of this input, by a dry run, which sends nothing; undefined: not known yet. */
const useQuote = (intent: Intent | undefined): { price: string | undefined } | undefined => {
  const key = intent && JSON.stringify(intent)
  const [quote, setQuote] = useState<{ key: string; price: string | undefined }>()
  useEffect(() => {
    if (intent === undefined || key === undefined) return undefined
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      const { integration, step, connection, input } = intent
      const path = `steps/${encodeURIComponent(integration)}/${encodeURIComponent(step)}/run`
      post<DryRunDone>(path, { connection, input, dryRun: true }, { signal: aborter.signal }).then(
        ({ output }) => setQuote({ key, price: priceOf(output) }),
        // The run itself says what is wrong with the input.
        () => undefined,
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [key])
  return quote?.key === key ? quote : undefined
}

const unitOf = ({ per, typical: [least, most] }: NonNullable<StepManifest['cost']>) =>
  `${least === most ? most : `${least} to ${most}`} ${most === 1 ? 'credit' : 'credits'} per ${per}`

/** `intent`: undefined while the form is not complete. */
export const Price = ({
  manifest,
  step,
  intent,
}: {
  manifest: Manifest
  step: StepManifest
  intent: Intent | undefined
}) => {
  const hasPrices =
    manifest.steps.some(({ cost }) => cost !== null) || manifest.apiCall.operations.some(({ price }) => price)
  const depends = hasPrices && (step.cost !== null || step.effect === 'by-method')
  const quote = useQuote(depends ? intent : undefined)
  // Where nothing costs credits, nobody asks what they cost.
  if (!hasPrices) return null
  const usual = step.price ?? (step.cost && unitOf(step.cost))
  return (
    <span class="price" role="status">
      {quote
        ? quote.price === undefined
          ? 'Costs no credits'
          : `Costs ${quote.price}`
        : (usual && `Costs ${usual}`) || (depends ? 'The price depends on the endpoint' : 'Costs no credits')}
    </span>
  )
}
