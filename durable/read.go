package durable

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// changingPause is how long to wait before trying again what the server refused as
// another change of the same timer was under way.
const changingPause = 5 * time.Millisecond

// isChanged tells whether the server refused a message as the timer that it depends
// on is not there any more in that revision. This is final.
func isChanged(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// isChanging tells whether the server refused a message as a change of the timer
// that it depends on is under way. It may still come to nothing.
func isChanging(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// last returns the last message of a subject as the leader of the stream has it.
// The client package would ask any replica, which may lag behind.
func (c *Client) last(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	return c.askLeader(ctx, map[string]any{"last_by_subj": subject})
}

// at returns the message of a revision as the leader of the stream has it.
func (c *Client) at(ctx context.Context, revision uint64) (*jetstream.RawStreamMsg, error) {
	return c.askLeader(ctx, map[string]any{"seq": revision})
}

func (c *Client) askLeader(ctx context.Context, request map[string]any) (*jetstream.RawStreamMsg, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+c.layout.name, body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Subject  string    `json:"subject"`
			Sequence uint64    `json:"seq"`
			Header   string    `json:"hdrs"`
			Data     []byte    `json:"data"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return nil, fmt.Errorf("answer of the server: %w", err)
	}
	if answer.Error != nil {
		if answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
			return nil, jetstream.ErrMsgNotFound
		}
		return nil, answer.Error
	}
	raw := &jetstream.RawStreamMsg{Subject: answer.Message.Subject, Sequence: answer.Message.Sequence, Data: answer.Message.Data, Time: answer.Message.Time}
	if answer.Message.Header != "" {
		header, err := base64.StdEncoding.DecodeString(answer.Message.Header)
		if err == nil {
			raw.Header, err = nats.DecodeHeadersMsg(header)
		}
		if err != nil {
			return nil, fmt.Errorf("answer of the server: header: %w", err)
		}
	}
	return raw, nil
}

// askAny returns the message of a revision as any replica has it.
func (c *Client) askAny(ctx context.Context, revision uint64) (*jetstream.RawStreamMsg, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+c.layout.name, fmt.Appendf(nil, `{"seq":%d}`, revision))
	if err != nil {
		return nil, err
	}
	if status := m.Header.Get("Status"); status == "404" {
		return nil, jetstream.ErrMsgNotFound
	} else if status != "" {
		return nil, fmt.Errorf("answer of the server: %s %s", status, m.Header.Get("Description"))
	}
	return &jetstream.RawStreamMsg{Subject: m.Header.Get(jetstream.SubjectHeader), Sequence: revision, Header: m.Header, Data: m.Data}, nil
}

// read goes through the messages of a subject filter that are stored now.
func (c *Client) read(ctx context.Context, how jetstream.OrderedConsumerConfig, filter string) iter.Seq2[jetstream.Msg, error] {
	return func(yield func(jetstream.Msg, error) bool) {
		left, err := c.count(ctx, filter)
		how.FilterSubjects = []string{filter}
		seen := uint64(0)
		for more := left > 0; more && err == nil; {
			more, err = c.readSome(ctx, how, &seen, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// readSome goes on with a read after the message seen, by a consumer of its own. It returns
// true if there is more and nothing comes any more, as with a node that was killed.
func (c *Client) readSome(ctx context.Context, how jetstream.OrderedConsumerConfig, seen *uint64,
	yield func(jetstream.Msg, error) bool) (more bool, err error) {
	if *seen > 0 && how.DeliverPolicy != jetstream.DeliverLastPerSubjectPolicy {
		how.DeliverPolicy, how.OptStartSeq = jetstream.DeliverByStartSequencePolicy, *seen+1
	}
	consumer, err := c.stream.OrderedConsumer(ctx, how)
	if err != nil {
		return false, err
	}
	name, came := consumer.CachedInfo().Name, uint64(0)
	messages, err := consumer.Messages(jetstream.PullMaxMessages(readAhead))
	if err != nil {
		return false, err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for silent := 0; silent < maxSilent; {
		m, err := messages.Next(jetstream.NextMaxWait(readPause))
		if errors.Is(err, nats.ErrTimeout) {
			// What is left may have been removed since, or be on its way, or be lost.
			silent++
			ask, cancel := context.WithTimeout(ctx, publishTimeout) // nobody may answer
			info, err := consumer.Info(ask)
			cancel()
			if err == nil && info.Name == name && info.NumPending == 0 && info.Delivered.Consumer <= came {
				return false, nil
			}
			continue
		}
		if err != nil {
			return false, errors.Join(context.Cause(ctx), err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return false, err
		}
		if meta.Consumer != name {
			return true, nil // another took its place, which has all messages of a subject
		}
		silent, came = 0, meta.Sequence.Consumer
		if meta.Sequence.Stream > *seen {
			*seen = meta.Sequence.Stream
			if !yield(m, nil) {
				return false, nil
			}
		}
		if meta.NumPending == 0 {
			return false, nil
		}
	}
	return true, nil
}

// How to read.
var (
	whole       = jetstream.OrderedConsumerConfig{}
	headersOnly = jetstream.OrderedConsumerConfig{HeadersOnly: true}
	lastOfEach  = jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy}
)

const (
	readAhead = 2000                   // messages
	readPause = 500 * time.Millisecond // without a message, before asking whether there is one
	maxSilent = 4                      // times that there is one and it does not come
)

// count returns the number of messages of a subject filter.
func (c *Client) count(ctx context.Context, filter string) (uint64, error) {
	consumer, err := c.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject:     filter,
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: time.Second,
	})
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", strings.TrimPrefix(filter, c.layout.name+"."), err)
	}
	return consumer.CachedInfo().NumPending, nil
}
