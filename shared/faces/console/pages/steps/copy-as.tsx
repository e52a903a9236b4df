/** The call that the form would make, as code for other programs. */
import { apiRoot } from '../../api/index.ts'
import { CodeBlock, Tabs } from '../../ui/index.ts'
import { asCommand, asCurl, asLibrary, asMcp } from './snippets.ts'
import type { StepCall } from './snippets.ts'

export const CopyAs = ({ call }: { call: StepCall }) => (
  <details class="panel">
    <summary>Copy as cURL, code, MCP call or command</summary>
    <p>
      <code>$TOOLYARD_TOKEN</code> is an API token; it is not part of the text.
    </p>
    <Tabs
      label="Copy as"
      tabs={[
        {
          id: 'curl',
          title: 'cURL',
          content: () => <CodeBlock label="cURL command" text={asCurl(call, `${location.origin}${apiRoot}`)} />,
        },
        { id: 'library', title: 'Library', content: () => <CodeBlock label="Library code" text={asLibrary(call)} /> },
        { id: 'mcp', title: 'MCP', content: () => <CodeBlock label="MCP call" text={asMcp(call)} /> },
        { id: 'cli', title: 'Command line', content: () => <CodeBlock label="Command" text={asCommand(call)} /> },
      ]}
    />
  </details>
)
