import { integrationTitle } from '../../api/index.ts'
import type { JobPreview } from '../../../../api/resources/job.ts'
import { number, percent } from '../../ui/index.ts'

type Expected = NonNullable<JobPreview['expected']>

const spanText = ({ least, likely, most }: Expected['matches']) =>
  least === most ? number(most) : `${number(likely)} (${number(least)} to ${number(most)})`

/** What a job is expected to find and to cost, in what order providers are asked, and what was assumed. */
export const Expectation = ({ title, expectation }: { title: string; expectation: Expected }) => {
  const { matches, credits, likelihood, orders, assumed } = expectation
  return (
    <section>
      <h3>{title}</h3>
      <p>
        {spanText(matches)} matches for {spanText(credits)} credits, as earlier lookups suggest. The outcome is within
        these ranges {percent(likelihood)} of the time.
      </p>
      {orders.map(({ rows, providers }) => (
        <>
          {orders.length > 1 && <p>{number(rows)} rows in this order:</p>}
          <ol>
            {providers.map(({ provider, estimate }) => (
              <li>
                {integrationTitle(provider)}: {estimate.why}
              </li>
            ))}
          </ol>
        </>
      ))}
      {assumed.map((sentence) => (
        <p class="muted">Assumed: {sentence}</p>
      ))}
    </section>
  )
}
