package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

var (
	lines   = bufio.NewReader(os.Stdin)
	answers = json.NewEncoder(os.Stdout)
)

// read reports whether there was a line.
func read(given any) bool {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return false
	}
	if err := json.Unmarshal(line, given); err != nil {
		log.Fatal(err)
	}
	return true
}

func write(answer any) {
	if err := answers.Encode(answer); err != nil {
		log.Fatal(err)
	}
}

// tokens is a source whose clock can be put forward: the client refreshes by its own clock alone.
type tokens struct {
	mutex  sync.Mutex
	renew  func(*oauth2.Token) oauth2.TokenSource
	source oauth2.TokenSource
}

func (t *tokens) Token() (*oauth2.Token, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.source.Token()
}

func (t *tokens) passAnHour() error {
	token, err := t.Token()
	if err != nil {
		return err
	}
	old := *token
	old.Expiry = time.Now().Add(-time.Second)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.source = t.renew(&old)
	return nil
}

// signIn runs the client with its OAuth handler for oauth/client-programs.test.ts. It reads one JSON object a line, what to do, and answers
// each with one; between them it writes an address to open, and reads what the redirect of the browser said.
func signIn() {
	var given struct {
		URL      string  `json:"url"`
		Redirect string  `json:"redirect"`
		Document *string `json:"document"`
	}
	read(&given)
	kept := &tokens{}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              given.Redirect,
		AuthorizationCodeFetcher: fetchCode,
		NewTokenSource: func(ctx context.Context, config *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			kept.renew = func(old *oauth2.Token) oauth2.TokenSource { return config.TokenSource(ctx, old) }
			kept.source = kept.renew(token)
			return kept, nil
		},
	}
	if given.Document != nil {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: *given.Document}
	} else {
		metadata := &oauthex.ClientRegistrationMetadata{
			ClientName:              "Test agent",
			RedirectURIs:            []string{given.Redirect},
			TokenEndpointAuthMethod: "none",
			GrantTypes:              []string{"authorization_code", "refresh_token"},
		}
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: metadata}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	transport := &mcp.StreamableClientTransport{Endpoint: given.URL, OAuthHandler: handler}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	connected, err := client.Connect(ctx, transport, nil)
	if err != nil {
		log.Fatal(err)
	}
	write(map[string]any{"version": connected.InitializeResult().ProtocolVersion})
	for {
		var asked struct {
			Do        string         `json:"do"`
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		}
		if !read(&asked) {
			return
		}
		switch asked.Do {
		case "pass an hour":
			if err := kept.passAnHour(); err != nil {
				log.Fatal(err)
			}
			write(map[string]any{})
		case "list":
			write(withToken(list(ctx, connected), kept))
		default:
			params := &mcp.CallToolParams{Name: asked.Name, Arguments: asked.Arguments}
			write(withToken(call(ctx, connected, params), kept))
		}
	}
}

func fetchCode(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	write(map[string]any{"open": args.URL})
	var said struct {
		Code, State, Iss, Error string
	}
	read(&said)
	if said.Error != "" {
		return nil, errors.New(said.Error)
	}
	return &auth.AuthorizationResult{Code: said.Code, State: said.State, Iss: said.Iss}, nil
}

func withToken(answer map[string]any, kept *tokens) map[string]any {
	answer["token"] = nil
	if kept.source == nil {
		return answer
	}
	if token, err := kept.Token(); err == nil {
		answer["token"] = token.AccessToken
	}
	return answer
}
