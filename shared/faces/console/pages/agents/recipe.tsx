/** How to build an agent: a worked one for each kind of host, and the way from there to its first start. */
import { useEffect } from 'preact/hooks'
import {
  loadRecipes,
  may,
  pathTo,
  recipes,
  serverAddress,
  stepTitle,
  triggerTitle,
  useAction,
} from '../../api/index.ts'
import type { Recipe as RecipeText, Recipes } from '../../api/index.ts'
import { ButtonLink, CodeBlock, Loading, Panel, ProblemBox, Tabs } from '../../ui/index.ts'

const makeToken = 'npx toolyard tokens add agent -s run -s read'

const Token = () =>
  may('admin') ? (
    <p>
      Make it a token with the scopes <code>run</code> and <code>read</code>:{' '}
      <a href={pathTo('operator', 'tokens')}>Tokens</a>, or
    </p>
  ) : (
    <p>
      It needs a token with the scopes <code>run</code> and <code>read</code>. Ask your operator for one, or:
    </p>
  )

const Run = ({ recipe: { command, packages, title, file } }: { recipe: RecipeText }) =>
  command === null ? (
    <p>
      Import the file into {title}, and give its credential the address {serverAddress()} and the token. The secret is
      exchanged when you publish the workflow.
    </p>
  ) : (
    <>
      <p>
        Save it as <code>{file}</code> and run it with the token and the signing secret, which you get when you attach a
        trigger:
      </p>
      <CodeBlock
        label="Command that runs the agent"
        text={`${packages === undefined ? '' : `npm install ${packages}\n`}TOOLYARD_TOKEN=… AGENT_SECRET=whsec_… ${command}`}
      />
    </>
  )

const Code = ({ recipe }: { recipe: RecipeText }) => (
  <>
    <CodeBlock label={`Agent for ${recipe.title}`} text={recipe.text} />
    <Token />
    <CodeBlock label="Command that makes a token" text={makeToken} />
    <Run recipe={recipe} />
  </>
)

const Way = ({ made: { integration, trigger, step, port } }: { made: Recipes }) => (
  <>
    <p>
      It takes the starts of “{triggerTitle({ integration, trigger })}”, checks their signature and runs{' '}
      <a href={pathTo('steps', integration, step)}>{stepTitle(integration, step)}</a>. It listens on port {port} of its
      machine; give its address when you attach the trigger.
    </p>
    <p class="row">
      <ButtonLink kind="plain" to={['triggers', integration, trigger, 'attach']}>
        Attach “{triggerTitle({ integration, trigger })}”
      </ButtonLink>
    </p>
  </>
)

/** `attach`: shows the way to attach the trigger too; not where one is attached already. */
export const Recipe = ({ attach = true }: { attach?: boolean }) => {
  const loading = useAction(loadRecipes)
  useEffect(() => void loading.run(), [])
  const made = recipes.value
  return (
    <Panel title={made === undefined || !attach ? 'A worked agent' : made.title} label="A worked agent">
      <ProblemBox problem={loading.problem} retry={() => void loading.run()} />
      {made === undefined && !loading.problem && <Loading what="the recipes" />}
      {made && (
        <>
          {attach && <Way made={made} />}
          <Tabs
            label="Agents"
            tabs={made.agents.map((recipe) => ({
              id: recipe.id,
              title: recipe.title,
              content: () => <Code recipe={recipe} />,
            }))}
          />
        </>
      )}
    </Panel>
  )
}
