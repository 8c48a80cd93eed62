import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from './src/site/integration.ts';

export default defineConfig({ integrations: [agentKnowledgeGateway()] });
