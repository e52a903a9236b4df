import { Page } from '../../ui/page.tsx'

const Attach = () => <Page title="Attach a trigger">{null}</Page>

export default Attach
